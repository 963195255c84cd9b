/** The script of a page that holds an explorer without its kernel: `save("report.html")` and `freeze()`. */
import { signal } from "@preact/signals-core";
import type { Exporting } from "./app/layout.ts";
import { show } from "./app/show.ts";
import { html } from "./elements/element.ts";
import { takePanel } from "./standalone/export_panel.ts";
import { followPrinter } from "./standalone/paper.ts";
import { type ReadBlob, readSnapshot, recount, SnapshotClient, traitsOf } from "./standalone/snapshot_client.ts";
import { StaticModel } from "./standalone/static_model.ts";
import type { Settings } from "./store/settings.ts";
import { sentenceOf } from "./wire/client.ts";
import "./style.css";
import "./styles/standalone.css";

/** Message from a frame to its page, so that the frame fits its content. */
const HEIGHT = "ice-explorer:height";

/** In a frame, which may not save files, and has a notebook around it that can. */
const isFramed = window.parent !== window;
const settings = signal<Settings>({});

const read: ReadBlob = (blob) => document.getElementById(`ice-blob-${blob}`)?.textContent ?? "";

/** Nothing is offered where it might not work. */
const exporting: Exporting = (view) => {
  followPrinter(view, settings);
  if (isFramed) return { button: html("div", { hidden: true }), news: html("div", { hidden: true }) };
  const styles = document.querySelector("style")?.textContent ?? "";
  return takePanel(view, settings, { title: document.title, styles });
};

async function start(place: HTMLElement): Promise<void> {
  try {
    const snapshot = await readSnapshot(read);
    const traits = await traitsOf(snapshot, read);
    const model = new StaticModel(traits, (changed) => void recount(changed, snapshot, read));
    place.replaceChildren();
    show(model, place, new SnapshotClient(snapshot, read), exporting, settings);
    // Under the heading of the page, which those of a notebook's cells do not have.
    if (document.querySelector("h1") !== null) place.querySelector("h3")?.setAttribute("aria-level", "2");
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
