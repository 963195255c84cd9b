/**
 * Unpacks numbers of a page as Python packed them (`standalone/recording.py`): base64 of gzip of the first bytes of all items,
 * then the second ones and so on, each as the difference to the byte before. Bytes of the same digits change little, so
 * that curves are a third smaller than with gzip alone.
 */
import { sum } from "d3-array";

/** Bytes of an item; numbers of eight bytes are two items. */
const ITEM = 4;

/** Each part has a checksum. */
const DAMAGED = "Part of this page is missing or damaged. Save the page again.";

/** Text of the page as bytes. */
export async function unzip(base64: string): Promise<Uint8Array<ArrayBuffer>> {
  if (typeof DecompressionStream === "undefined") {
    throw new Error("This page needs a browser of 2023 or newer, which can decompress the numbers in it.");
  }
  try {
    const letters = atob(base64);
    const zipped = new Uint8Array(letters.length);
    for (let at = 0; at < letters.length; at++) zipped[at] = letters.charCodeAt(at);
    const stream = new Blob([zipped]).stream().pipeThrough(new DecompressionStream("gzip"));
    return new Uint8Array(await new Response(stream).arrayBuffer());
  } catch {
    throw new Error(DAMAGED);
  }
}

/** Splits the bytes into buffers of these lengths. */
export function unpack(packed: Uint8Array, lengths: readonly number[]): Uint8Array<ArrayBuffer>[] {
  if (packed.length !== Math.ceil(sum(lengths) / ITEM) * ITEM) throw new Error(DAMAGED);
  const whole = new Uint8Array(packed.length);
  const items = packed.length / ITEM;
  for (let plane = 0; plane < ITEM; plane++) {
    let byte = 0;
    for (let item = 0; item < items; item++) {
      byte = (byte + packed[plane * items + item]!) & 255;
      whole[item * ITEM + plane] = byte;
    }
  }
  let start = 0;
  return lengths.map((length) => {
    start += length;
    return whole.subarray(start - length, start);
  });
}
