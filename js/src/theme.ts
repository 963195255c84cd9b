/** What the canvas must know of the host's colours, which the style sheet resolves. */

import { type ReadonlySignal, signal } from "@preact/signals-core";
import { html } from "./marks/element.ts";

export interface Theme {
  dark: boolean;
  ink: string;
  paper: string;
  font: string;
}

type Rgb = [number, number, number];

/** A colour as the screen shows it, in whatever notation the style sheet has it. */
function onScreen(color: string): Rgb {
  const canvas = html("canvas", { width: 1, height: 1 });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  if (pen === null) return [0, 0, 0];
  pen.fillStyle = color;
  pen.fillRect(0, 0, 1, 1);
  const [r = 0, g = 0, b = 0] = pen.getImageData(0, 0, 1, 1).data;
  return [r, g, b];
}

function read(root: HTMLElement): Theme {
  const style = getComputedStyle(root);
  const [ink, paper] = [onScreen(style.color), onScreen(style.backgroundColor)];
  const brightness = ([r, g, b]: Rgb) => 0.299 * r + 0.587 * g + 0.114 * b;
  const size = style.getPropertyValue("--ice-small").trim() || "11px";
  return {
    dark: brightness(ink) > brightness(paper),
    ink: `rgb(${ink.join(", ")})`,
    paper: `rgb(${paper.join(", ")})`,
    font: `${size} ${style.fontFamily}`,
  };
}

/**
 * Follows the host's theme. A probe inherits the colours and has an imperceptible transition on them: whatever changes
 * them (a theme switch, a late style sheet, the system's preference), the browser reports that transition. JupyterLab
 * hides the page while it switches, so that the last one may be cut short.
 */
export function followTheme(root: HTMLElement, aborted: AbortSignal): ReadonlySignal<Theme> {
  const theme = signal(read(root));
  const refresh = () => {
    const next = read(root);
    if (JSON.stringify(next) !== JSON.stringify(theme.peek())) theme.value = next;
  };
  const probe = html("span", { class: "ice-theme-probe", "aria-hidden": "true" });
  for (const event of ["transitionrun", "transitionend", "transitioncancel"]) {
    probe.addEventListener(event, refresh, { signal: aborted });
  }
  root.append(probe);
  // The style sheet may apply only after the element is in the page.
  requestAnimationFrame(() => {
    if (!aborted.aborted) refresh();
  });
  return theme;
}
