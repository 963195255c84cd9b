/** Small pictures for buttons, 16 px wide, drawn in the colour of the text. */
import { svg } from "./element.ts";

const PATHS = {
  select: "M8 2v12M5.5 2h5M5.5 14h5M2 9.5l3-2M11 8.5l3-2",
  zoom: "M7 2.5a4.5 4.5 0 1 0 0 9a4.5 4.5 0 1 0 0-9M10.3 10.3L14 14M7 5v4M5 7h4",
  reset: "M3 3v3.5h3.5M3.3 6.2A5.2 5.2 0 1 1 2.8 9",
  close: "M4 4l8 8M12 4l-8 8",
  before: "M10 3.5L5.5 8l4.5 4.5",
  both: "M3 3h10v10h-10zM8 3v10M3 8h10",
  after: "M6 3.5L10.5 8L6 12.5",
} as const;

export function icon(name: keyof typeof PATHS): SVGSVGElement {
  const attributes = { class: "ice-icon", viewBox: "0 0 16 16", width: 16, height: 16, "aria-hidden": "true" };
  return svg("svg", attributes, svg("path", { d: PATHS[name] }));
}
