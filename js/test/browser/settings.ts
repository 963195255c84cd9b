/** Sets the page as JupyterLab's extension would. */
import { onTestFinished } from "vitest";

export function setTo(settings: unknown): void {
  const { dataset } = document.documentElement;
  dataset.iceExplorerSettings = typeof settings === "string" ? settings : JSON.stringify(settings);
  document.dispatchEvent(new Event("ice-explorer:settings"));
  onTestFinished(() => {
    delete dataset.iceExplorerSettings;
  });
}
