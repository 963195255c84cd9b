/** Small pictures for buttons, 16 px wide, drawn in the colour of the text. */
import { svg } from "./element.ts";

const PATHS = {
  close: "M4 4l8 8M12 4l-8 8",
  before: "M10 3.5L5.5 8l4.5 4.5",
  both: "M3 3h10v10h-10zM8 3v10M3 8h10",
  after: "M6 3.5L10.5 8L6 12.5",
} as const;

export function icon(name: keyof typeof PATHS): SVGSVGElement {
  const attributes = { class: "ice-icon", viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" };
  return svg("svg", attributes, svg("path", { d: PATHS[name] }));
}
