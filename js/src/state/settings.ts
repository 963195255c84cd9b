/**
 * The settings of JupyterLab: its extension writes them as JSON to an attribute of the page, and sends an event at each
 * change. Without the extension there are none. Choices in Python or in the explorer take precedence.
 */
import { type ReadonlySignal, signal } from "@preact/signals-core";

export interface Settings {
  format?: string;
  /** In mm. */
  width?: number;
  dpi?: number;
  theme?: "auto" | "light" | "dark";
  max_lines?: number;
}

const CHANGED = "ice-explorer:settings";

/** Its schema has checked them; a page without it, or with another text, has none. */
export function readSettings(text = "{}"): Settings {
  try {
    return { ...JSON.parse(text) };
  } catch {
    return {};
  }
}

export function followSettings(aborted: AbortSignal): ReadonlySignal<Settings> {
  const now = () => readSettings(document.documentElement.dataset.iceExplorerSettings);
  const settings = signal(now());
  const follow = () => {
    settings.value = now();
  };
  document.addEventListener(CHANGED, follow, { signal: aborted });
  return settings;
}
