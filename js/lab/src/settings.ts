/** The settings of JupyterLab, as explorers on the page read them. */
import schema from "../../../jupyter-config/labextension/schema/plugin.json";

/** Values by name. Those that are empty or malformed are left out, so that each explorer takes its own. */
export type Settings = Record<string, string | number>;

interface Rule {
  type: string;
  minimum?: number;
  maximum?: number;
  oneOf?: { const: string }[];
}

const RULES: Record<string, Rule> = schema.properties;

/** Lab checks what users write, but not what administrators put in the place of a default. */
export function readSettings(values: Readonly<Record<string, unknown>>): Settings {
  const settings: Settings = {};
  for (const [name, rule] of Object.entries(RULES)) {
    const value = values[name];
    if (isAllowed(value, rule)) settings[name] = value;
  }
  return settings;
}

function isAllowed(value: unknown, { type, minimum, maximum, oneOf }: Rule): value is string | number {
  if (typeof value === "string") return oneOf?.some((choice) => choice.const === value) ?? false;
  if (typeof value !== "number" || type === "string" || (type === "integer" && !Number.isInteger(value))) return false;
  return value >= (minimum ?? -Infinity) && value <= (maximum ?? Infinity);
}

/** Explorers read the attribute when they appear, and again at each event. */
export function publish(page: Document, settings: Settings): void {
  page.documentElement.dataset.iceExplorerSettings = JSON.stringify(settings);
  page.dispatchEvent(new Event("ice-explorer:settings"));
}
