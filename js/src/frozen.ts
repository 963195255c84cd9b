/** The script of saved pages, which show an explorer without its kernel: `save("report.html")` and `freeze()`. */
import type { AnyModel } from "@anywidget/types";
import { signal } from "@preact/signals-core";
import { show } from "./app/show.tsx";
import { pageExport } from "./standalone/export_panel.tsx";
import { type ReadBlob, RecordedModel, readRecording } from "./standalone/recorded_model.ts";
import type { Settings } from "./state/settings.ts";
import { ModelClient, sentenceOf } from "./wire/client.ts";
import "./style.css";
import "./styles/standalone.css";

/** Message from a frame to its page, so that the frame fits its content. */
const HEIGHT = "ice-explorer:height";

const isFramed = window.parent !== window;
const settings = signal<Settings>({});

const read: ReadBlob = (blob) => document.getElementById(`ice-blob-${blob}`)?.textContent ?? "";

async function start(place: HTMLElement): Promise<void> {
  try {
    const model = await RecordedModel.read(await readRecording(read), read);
    place.replaceChildren();
    show(model, place, new ModelClient(model as AnyModel, model), pageExport(settings, isFramed), settings);
    // One level below the heading of the page; panels behind tabs come later.
    const setLevels = (): void => {
      for (const title of place.querySelectorAll("h3")) title.setAttribute("aria-level", "2");
    };
    if (document.querySelector("h1") !== null) {
      setLevels();
      new MutationObserver(setLevels).observe(place, { childList: true, subtree: true });
    }
  } catch (error) {
    const sentence = sentenceOf(error);
    place.textContent = `The explorer cannot be shown. ${sentence}`;
    place.setAttribute("role", "alert");
  }
}

const place = document.getElementById("ice-place");
if (place !== null) void start(place);
if (isFramed) {
  const tell = (): void => {
    window.parent.postMessage({ type: HEIGHT, height: document.documentElement.offsetHeight }, "*");
  };
  new ResizeObserver(tell).observe(document.documentElement);
}
