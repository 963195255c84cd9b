/** The picture as a file: the kernel draws an SVG; a PNG is that SVG on a canvas at twice its size. */
import type { Store } from "./store.ts";

const PNG_SCALE = 2;

export type SaveFormat = "svg" | "png";

function download(contents: Blob, filename: string): void {
  const url = URL.createObjectURL(contents);
  const link = document.createElement("a");
  link.href = url;
  link.download = filename;
  // In the document, where VS Code looks out for clicks on files: it saves them itself.
  document.body.append(link);
  link.click();
  link.remove();
  // The download starts after this task: taking the address back at once would cut it off.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
}

async function rasterise(svg: Blob): Promise<Blob> {
  const url = URL.createObjectURL(svg);
  try {
    const image = new Image();
    image.src = url;
    await image.decode();
    const canvas = document.createElement("canvas");
    canvas.width = Math.round(image.naturalWidth * PNG_SCALE);
    canvas.height = Math.round(image.naturalHeight * PNG_SCALE);
    const pen = canvas.getContext("2d");
    if (pen === null || canvas.width === 0 || canvas.height === 0) {
      throw new Error("This browser cannot draw the picture; save it as SVG instead.");
    }
    pen.fillStyle = "#fff";
    pen.fillRect(0, 0, canvas.width, canvas.height);
    pen.drawImage(image, 0, 0, canvas.width, canvas.height);
    return await new Promise((resolve, reject) => {
      const done = (png: Blob | null) =>
        png === null ? reject(new Error("The PNG came out empty; save it as SVG instead.")) : resolve(png);
      canvas.toBlob(done, "image/png");
    });
  } finally {
    URL.revokeObjectURL(url);
  }
}

export async function save(store: Store, format: SaveFormat): Promise<void> {
  const { body, buffers } = await store.client.request({ type: "export", format: "svg", state: store.documentState() });
  const bytes = buffers[0];
  if (bytes === undefined) throw new Error("The kernel sent no picture.");
  const svg = new Blob([bytes as BlobPart], { type: body.mime });
  if (format === "svg") download(svg, body.filename);
  else download(await rasterise(svg), body.filename.replace(/\.svg$/, ".png"));
}
