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

const oneOf =
  (...words: readonly unknown[]) =>
  (value: unknown): boolean =>
    words.includes(value);
const between =
  (low: number, high: number) =>
  (value: unknown): boolean =>
    typeof value === "number" && value >= low && value <= high;

const FORMS: { [K in keyof Required<Settings>]: (value: unknown) => boolean } = {
  format: oneOf("svg", "png", "pdf", "html", "csv", "parquet", "json", "ice"),
  width: between(60, 600),
  dpi: between(50, 1200),
  theme: oneOf("auto", "light", "dark"),
  max_lines: (value) => Number.isInteger(value) && (value as number) > 0,
};

/** What can be used of a text; whatever is malformed is as if it were not there. */
export function readSettings(text: string | undefined): Settings {
  let found: unknown;
  try {
    found = JSON.parse(text ?? "{}");
  } catch {
    return {};
  }
  if (typeof found !== "object" || found === null) return {};
  const fitting = Object.entries(FORMS).flatMap(([name, fits]) => {
    const value = (found as Record<string, unknown>)[name];
    return fits(value) ? [[name, value] as const] : [];
  });
  return Object.fromEntries(fitting);
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
