/** What the canvas must know of the host's colours, which the style sheet resolves. */

import { type ReadonlySignal, signal } from "@preact/signals-core";

export interface Theme {
  dark: boolean;
  ink: string;
  paper: string;
  font: string;
}

export interface FollowedTheme {
  theme: ReadonlySignal<Theme>;
  /** Reads the colours now instead of when the browser reports them. */
  refresh(): void;
}

/** Brightness of a colour as browsers compute it: rgb(…) up to 255, color(srgb …) up to 1. */
export function brightness(color: string): number {
  const [r = 0, g = 0, b = 0] = (color.match(/-?[\d.]+(e-?\d+)?/g) ?? []).map(Number);
  return (0.299 * r + 0.587 * g + 0.114 * b) * (color.startsWith("color(") ? 255 : 1);
}

function read(root: HTMLElement): Theme {
  const { color: ink, backgroundColor: paper, fontFamily } = getComputedStyle(root);
  const size = getComputedStyle(root).getPropertyValue("--ice-small").trim() || "12px";
  return { dark: brightness(ink) > brightness(paper), ink, paper, font: `${size} ${fontFamily}` };
}

/**
 * Follows the host's theme. A probe inherits the colours and has an imperceptible transition on them, so the browser
 * sends an event for every change: a theme switch, a late style sheet, the system's preference. JupyterLab hides the page
 * while it switches, which may cancel the last transition. A hidden frame may start none, so changes of the preference
 * are observed as well.
 */
export function followTheme(root: HTMLElement, aborted: AbortSignal): FollowedTheme {
  const theme = signal(read(root));
  const refresh = () => {
    const next = read(root);
    if (JSON.stringify(next) !== JSON.stringify(theme.peek())) theme.value = next;
  };
  const probe = document.createElement("span");
  probe.className = "ice-theme-probe";
  probe.ariaHidden = "true";
  for (const event of ["transitionrun", "transitionend", "transitioncancel"]) {
    probe.addEventListener(event, refresh, { signal: aborted });
  }
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", refresh, { signal: aborted });
  root.append(probe);
  // The style sheet may apply only after the element is in the page.
  requestAnimationFrame(() => {
    if (!aborted.aborted) refresh();
  });
  return { theme, refresh };
}
