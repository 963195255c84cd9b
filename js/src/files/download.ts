/** Hands a file to the downloads of the browser. */
export function download(contents: Blob, filename: string): void {
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
