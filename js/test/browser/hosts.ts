/** The themes that a host may set, by the variables it sets them with; after a dark one comes a light one. */
import { expect } from "vitest";
import { cdp } from "vitest/browser";
import { frame, type Mounted } from "./mount.ts";

export const hosts: Record<string, Record<string, string>> = {
  "JupyterLab's dark theme": {
    "--jp-layout-color0": "#111",
    "--jp-ui-font-color1": "rgba(255, 255, 255, 0.87)",
    "--jp-brand-color1": "#2196f3",
    "--jp-error-color1": "#f44336",
  },
  "JupyterLab's light theme": {
    "--jp-layout-color0": "#fff",
    "--jp-ui-font-color1": "rgba(0, 0, 0, 0.87)",
    "--jp-brand-color1": "#1976d2",
    "--jp-error-color1": "#d32f2f",
  },
  // ipywidgets brings JupyterLab's light variables along, whatever the theme.
  "VS Code's dark theme": {
    "--jp-layout-color0": "white",
    "--jp-ui-font-color1": "rgba(0, 0, 0, 0.8)",
    "--jp-brand-color1": "#1976d2",
    "--vscode-editor-background": "#1f1f1f",
    "--vscode-editor-foreground": "#cccccc",
    "--vscode-textLink-foreground": "#4daafc",
    "--vscode-errorForeground": "#f85149",
  },
  "an unknown host": {},
  "Colab's dark theme": {
    "--jp-layout-color0": "white",
    "--jp-ui-font-color1": "#d5d5d5",
    "--jp-brand-color1": "#1976d2",
    "--colab-primary-surface-color": "#383838",
    "--colab-primary-text-color": "#d5d5d5",
    "--colab-anchor-color": "#8ab4f8",
  },
};

const DARK_PAPERS = new Set(["#111", "#1f1f1f", "#383838"]);

const NAMES = new Set(Object.values(hosts).flatMap(Object.keys));

/** Puts a view into a host's theme, out of the one before, and waits until the view has found out. */
export async function dress({ root }: Mounted, variables: Record<string, string>): Promise<void> {
  const { style } = root.parentElement!;
  for (const name of NAMES) style.setProperty(name, variables[name] ?? "");
  const theme = Object.values(variables).some((color) => DARK_PAPERS.has(color)) ? "dark" : "light";
  await expect.poll(() => root.dataset.theme, { interval: 10, timeout: 5000 }).toBe(theme);
}

/** Sends a command of Chromium's DevTools. */
export const command = <T = void>(method: string, options: object = {}): Promise<T> =>
  (cdp() as unknown as { send(method: string, options: object): Promise<T> }).send(method, options);

/** Sets a preference of the system, a media feature by its name; "" unsets it. */
export const emulate = (name: string, value: string): Promise<void> =>
  command("Emulation.setEmulatedMedia", { features: [{ name, value }] });

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Waits until a view shows what it will show: its curves and what they differ by, a sentence, or nothing yet. */
export async function settled({ root }: Mounted): Promise<void> {
  const stateOf = (part: string) => root.querySelector<HTMLElement>(`[data-test=${part}]`)?.dataset.state;
  let [text, quiet]: [string | null, number] = ["", 0];
  for (let turn = 0; turn < 160; turn++) {
    await pause(20);
    await frame();
    quiet = root.textContent === text ? quiet + 1 : 0;
    text = root.textContent;
    const curves = stateOf("curves");
    const isComputing = ["pair-panel", "interactions"].some((part) => stateOf(part) === "computing");
    const waits = curves === "loading" || (curves === "ready" && stateOf("drivers") === "unknown");
    if (turn > 2 && !waits && (!isComputing || quiet > 10)) return; // some kernels of the catalogue never answer
  }
}
