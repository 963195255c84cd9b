/** The settings of JupyterLab, told to the explorers on the page. Lab has checked them against their schema. */

/** Explorers read the attribute when they appear, and again at each event. What is null is left to each of them. */
export function publish(page: Document, settings: Readonly<Record<string, unknown>>): void {
  const set = Object.entries(settings).filter(([, value]) => value !== null);
  page.documentElement.dataset.iceExplorerSettings = JSON.stringify(Object.fromEntries(set));
  page.dispatchEvent(new Event("ice-explorer:settings"));
}
