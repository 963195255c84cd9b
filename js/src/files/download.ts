/** The result of an export as a sentence, with the path if the kernel wrote the file; or what went wrong. */
export interface Outcome {
  text?: string;
  path?: string | null;
  problem?: string;
}

/** Starts the download of a file. */
export function download(contents: Blob, filename: string): Outcome {
  const url = URL.createObjectURL(contents);
  const link = document.createElement("a");
  link.href = url;
  link.download = filename;
  // The link must be part of the document: VS Code handles clicks on such links itself.
  document.body.append(link);
  link.click();
  link.remove();
  // The download starts after this task, so the address must stay valid for a while.
  setTimeout(() => URL.revokeObjectURL(url), 10_000);
  return { text: `Download started: ${filename}.` };
}
