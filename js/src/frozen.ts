/** The script of a page that holds an explorer without its kernel: `save("report.html")` and `freeze()`. */
import { sentenceOf } from "./client.ts";
import { StaticModel } from "./host.ts";
import { show } from "./show.ts";
import { type ReadBlob, readSnapshot, recount, SnapshotClient, traitsOf } from "./snapshot.ts";
import "./style.css";
import "./frozen.css";

/** What a frame tells the page around it, so that it is as high as what it shows. */
const HEIGHT = "ice-explorer:height";

const read: ReadBlob = (blob) => document.getElementById(`ice-blob-${blob}`)?.textContent ?? "";

async function start(place: HTMLElement): Promise<void> {
  try {
    const snapshot = await readSnapshot(read);
    const traits = await traitsOf(snapshot, read);
    const model = new StaticModel(traits, (changed) => void recount(changed, snapshot, read));
    place.replaceChildren();
    show(model, place, new SnapshotClient(snapshot, read));
  } catch (error) {
    const sentence = sentenceOf(error);
    place.textContent = `The explorer cannot be shown. ${sentence}`;
    place.setAttribute("role", "alert");
  }
}

const place = document.getElementById("ice-place");
if (place !== null) void start(place);
if (window.parent !== window) {
  const tell = (): void => {
    window.parent.postMessage({ type: HEIGHT, height: document.documentElement.offsetHeight }, "*");
  };
  new ResizeObserver(tell).observe(document.documentElement);
}
