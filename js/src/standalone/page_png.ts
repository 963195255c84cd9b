/**
 * A view as a PNG where no kernel draws it: its elements with their style sheet as a picture inside an SVG, which the
 * browser draws onto a canvas.
 */

const SCALE = 2;
/** Browsers have canvases of so many px at least, along either side. */
const LARGEST = 16_000;
const MARGIN = 12;
/** Gap below the heading. */
const GAP = 16;
/** Characters that XML does not allow: control characters, and halves of surrogate pairs. */
const FORBIDDEN = /(?![\t\n\r])[\p{Cc}\p{Cs}\ufffe\uffff]/gu;

/** A copy of the view at one moment. Widths in px of the page. */
export interface Portrait {
  svg: string;
  width: number;
  height: number;
}

/** With the heading of the page, if there is one. */
export function portraitOf(root: HTMLElement, heading: HTMLElement | null): Portrait {
  const { width, height } = root.getBoundingClientRect();
  const above = heading === null ? 0 : heading.offsetHeight + GAP;
  const copy = root.cloneNode(true) as HTMLElement;
  const [canvases, selects] = [root.querySelectorAll("canvas"), root.querySelectorAll("select")];
  for (const [at, node] of copy.querySelectorAll("canvas").entries()) node.replaceWith(asImage(node, canvases[at]!));
  for (const [at, node] of copy.querySelectorAll("select").entries()) node.replaceWith(asText(node, selects[at]!));
  for (const node of copy.querySelectorAll("[data-test=tooltip], dialog")) node.remove();
  const style = document.createElement("style");
  style.textContent = document.querySelector("style")?.textContent ?? "";
  const page = document.createElement("body");
  page.className = document.body.className;
  page.style.cssText = `margin: 0; padding: ${MARGIN}px; max-width: none; background: #fff; color: #1f2328;`;
  page.append(style, ...(heading === null ? [] : [heading.cloneNode(true)]), copy);
  const content = new XMLSerializer().serializeToString(page).replace(FORBIDDEN, "\ufffd");
  const [wide, high] = [Math.ceil(width) + 2 * MARGIN, Math.ceil(height) + above + 2 * MARGIN];
  const svg =
    `<svg xmlns="http://www.w3.org/2000/svg" width="${wide}" height="${high}">` +
    `<foreignObject width="100%" height="100%">${content}</foreignObject></svg>`;
  return { svg, width: wide, height: high };
}

export async function rasterised({ svg, width, height }: Portrait): Promise<Blob> {
  const image = new Image();
  // A data URL: browsers do not export a canvas with an image from a blob.
  image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
  await image.decode();
  const scale = Math.min(SCALE, LARGEST / width, LARGEST / height);
  const canvas = document.createElement("canvas");
  canvas.width = Math.round(width * scale);
  canvas.height = Math.round(height * scale);
  const pen = canvas.getContext("2d");
  if (pen === null) throw new Error("This browser cannot draw the picture; print the page instead.");
  pen.drawImage(image, 0, 0, canvas.width, canvas.height);
  return new Promise((resolve, reject) => {
    const done = (png: Blob | null) =>
      png === null ? reject(new Error("The PNG is empty; print the page instead.")) : resolve(png);
    canvas.toBlob(done, "image/png");
  });
}

/** An image with the pixels of a canvas, which its markup does not contain. */
function asImage(node: HTMLElement, canvas: HTMLCanvasElement): HTMLElement {
  const image = document.createElement("img");
  for (const { name, value } of node.attributes) image.setAttribute(name, value);
  if (canvas.width > 0 && canvas.height > 0) image.src = canvas.toDataURL();
  return image;
}

/** The chosen option as text, which the markup does not contain either. */
function asText(node: HTMLElement, select: HTMLSelectElement): HTMLElement {
  const text = document.createElement("span");
  text.className = node.className;
  text.textContent = select.selectedOptions[0]?.textContent ?? "";
  return text;
}
