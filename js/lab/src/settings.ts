/** Publishes the JupyterLab settings to the explorers on the page. JupyterLab has validated them. */

/** Explorers read the attribute when they appear, and again at each event. Null entries use the explorer's default. */
export function publish(page: Document, settings: Readonly<Record<string, unknown>>): void {
  const set = Object.entries(settings).filter(([, value]) => value !== null);
  page.documentElement.dataset.iceExplorerSettings = JSON.stringify(Object.fromEntries(set));
  page.dispatchEvent(new Event("ice-explorer:settings"));
}
