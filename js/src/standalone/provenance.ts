/** The provenance of a page and of files saved from it, which `standalone/page.py` writes. */
import type { DocumentState } from "../wire/protocol.ts";

const ID = "ice-provenance";
const KEY = "ice-explorer";
/** The length of the signature of a PNG and its first chunk, which has the size. */
const AFTER_SIZE = 8 + 12 + 13;

export type Origin = Record<string, unknown>;

/** The state describes the view now; `code` makes the page, not the file that is saved from it. */
export function originOf(state: DocumentState, title: string): Origin {
  const { view: _, not_drawn: __, code, ...known } = JSON.parse(document.getElementById(ID)?.textContent ?? "{}");
  const { max_lines: ___, selection: ____, ...chosen } = state;
  return { ...known, ...chosen, saved_from: title, page: code };
}

/** Writes the provenance into a PNG, as text. */
export async function signed(png: Blob, origin: Origin): Promise<Blob> {
  const json = JSON.stringify(origin).replace(/[\u007f-\uffff]/g, (letter) => {
    return `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`;
  });
  const content = new TextEncoder().encode(`tEXt${KEY}\0${json}`);
  const chunk = new DataView(new ArrayBuffer(content.length + 8));
  chunk.setUint32(0, content.length - 4);
  new Uint8Array(chunk.buffer).set(content, 4);
  chunk.setUint32(content.length + 4, checksum(content));
  return new Blob([png.slice(0, AFTER_SIZE), chunk.buffer, png.slice(AFTER_SIZE)], { type: png.type });
}

/** CRC-32, as PNG and gzip have it. */
function checksum(bytes: Uint8Array): number {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}
