/** The clipboard, which not every page may use: not without https, and not inside of every frame. */

/** Copies an image that is still being created: Safari requires the call during the click. */
export async function copyPng(png: Promise<Blob>): Promise<void> {
  const written = write(png);
  written.catch(() => {}); // what went wrong with the picture itself says more, and comes first
  await png;
  await written.catch(() => {
    throw new Error("The browser does not let this page use the clipboard. Download the PNG instead.");
  });
}

async function write(png: Promise<Blob>): Promise<void> {
  await navigator.clipboard.write([new ClipboardItem({ "image/png": png })]);
}

/** Whether it could be put there. */
export async function copyText(text: string): Promise<boolean> {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    return false;
  }
}
