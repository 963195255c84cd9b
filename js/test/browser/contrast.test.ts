import { expect, test } from "vitest";
import { frame, kernel, mount } from "./mount.ts";

/** What text and the ground behind it come to on screen, translucent layers and mixed colours included. */
function painter(): (...layers: string[]) => [number, number, number] {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", { willReadFrequently: true })!;
  return (...layers) => {
    pen.clearRect(0, 0, 1, 1);
    for (const layer of layers) {
      pen.fillStyle = layer;
      pen.fillRect(0, 0, 1, 1);
    }
    const [r, g, b] = pen.getImageData(0, 0, 1, 1).data;
    return [r!, g!, b!];
  };
}

/** Relative luminance as WCAG defines it. */
function luminance(rgb: [number, number, number]): number {
  const [r, g, b] = rgb.map((value) => {
    const share = value / 255;
    return share <= 0.04045 ? share / 12.92 : ((share + 0.055) / 1.055) ** 2.4;
  }) as [number, number, number];
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrasts(root: HTMLElement): [string, number][] {
  const paint = painter();
  const found: [string, number][] = [];
  for (const node of root.querySelectorAll("*")) {
    const speaks = [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.textContent?.trim());
    if (!speaks || !node.checkVisibility() || node.closest(":disabled") !== null) continue;
    const grounds: string[] = [];
    for (let at: Element | null = node; at !== null && root.contains(at); at = at.parentElement) {
      grounds.unshift(getComputedStyle(at).backgroundColor);
    }
    const style = getComputedStyle(node);
    const text = node instanceof SVGElement ? style.fill : style.color;
    const [one, other] = [luminance(paint(...grounds)), luminance(paint(...grounds, text))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    found.push([`${node.getAttribute("class") ?? node.tagName}: ${node.textContent}`, ratio]);
  }
  return found;
}

const hosts: Record<string, Record<string, string>> = {
  "an unknown host": {},
  "JupyterLab's light theme": {
    "--jp-layout-color0": "#fff",
    "--jp-ui-font-color1": "rgba(0, 0, 0, 0.87)",
    "--jp-error-color1": "#d32f2f",
  },
  "JupyterLab's dark theme": {
    "--jp-layout-color0": "#111",
    "--jp-ui-font-color1": "rgba(255, 255, 255, 0.87)",
    "--jp-error-color1": "#f44336",
  },
};
const failed = { state: "error", done: 3, total: 8, label: "Marker", message: "The model failed." } as const;

test.each(Object.entries(hosts))("all text stands out at least 4.5 : 1 in %s", async (_host, variables) => {
  const models = [
    kernel.model({ feature: "Age", color_by: "Ward", kind: "c-ice", selection: [0] }),
    kernel.model({ ...kernel.partial(3), feature: "", _status: failed }),
    kernel.model({ feature: "Age", color_by: "Ward", _view: { left: "map", right: "all", shared_y: true } }),
    kernel.model({ feature: "Age", _view: { left: "map", compared: ["Age", "BMI"] } }),
  ];
  for (const model of models) {
    const { root } = mount(model);
    for (const [name, value] of Object.entries(variables)) root.parentElement!.style.setProperty(name, value);
    await expect.poll(() => root.dataset.theme).toBe(variables["--jp-layout-color0"] === "#111" ? "dark" : "light");
    await frame();
    const measured = contrasts(root);
    expect(measured.length).toBeGreaterThan(20);
    expect(measured.filter(([, ratio]) => ratio < 4.5)).toEqual([]);
  }
});
