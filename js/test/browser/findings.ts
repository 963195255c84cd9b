/** What axe finds, and how text stands out from its ground, as WCAG measures it. */
import axe from "axe-core";

/** Serious findings of axe. It does not look at colours, which are measured in all hosts. */
export async function findings(root: HTMLElement): Promise<string[]> {
  const options = { resultTypes: ["violations" as const], rules: { "color-contrast": { enabled: false } } };
  const { violations } = await axe.run(root, options);
  return violations
    .filter(({ impact }) => impact === "serious" || impact === "critical")
    .map(
      ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(" | ")}`,
    );
}

/** What text and the ground behind it come to on screen, translucent layers and mixed colours included. */
function painter(): (opacity: number, ...layers: string[]) => [number, number, number] {
  const canvas = document.createElement("canvas");
  canvas.width = canvas.height = 1;
  const pen = canvas.getContext("2d", { willReadFrequently: true })!;
  return (opacity, ...layers) => {
    pen.clearRect(0, 0, 1, 1);
    for (const [at, layer] of layers.entries()) {
      pen.globalAlpha = at === layers.length - 1 ? opacity : 1;
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

function speaks(node: Element): boolean {
  if (node instanceof HTMLSelectElement) return true;
  if (node instanceof HTMLInputElement) return node.type !== "range" && `${node.value}${node.placeholder}` !== "";
  return [...node.childNodes].some((child) => child.nodeType === Node.TEXT_NODE && child.textContent?.trim());
}

/** Class and words of each piece of text that shows, with its ratio; what is disabled need not stand out. */
export function contrasts(root: HTMLElement): [string, number][] {
  const paint = painter();
  const found: [string, number][] = [];
  for (const node of root.querySelectorAll("*")) {
    const seen = node.checkVisibility({ visibilityProperty: true, opacityProperty: true });
    if (
      !speaks(node) ||
      node instanceof HTMLOptionElement ||
      !seen ||
      node.closest(":disabled, [aria-disabled=true]") !== null
    )
      continue;
    const grounds: string[] = [];
    let opacity = 1;
    for (let at: Element | null = node; at !== null && root.contains(at); at = at.parentElement) {
      grounds.unshift(getComputedStyle(at).backgroundColor);
      opacity *= Number(getComputedStyle(at).opacity);
    }
    const hint = node instanceof HTMLInputElement && node.value === "";
    const style = getComputedStyle(node, hint ? "::placeholder" : undefined);
    const text = node instanceof SVGElement ? style.fill : style.color;
    const [one, other] = [luminance(paint(1, ...grounds)), luminance(paint(opacity, ...grounds, text))];
    const ratio = (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
    found.push([`${node.getAttribute("class") ?? node.tagName}: ${node.textContent}`, ratio]);
  }
  return found;
}
