/** Arrays of replies: the JSON has the dtype and shape of each, and the place of its buffer. */
import type { Bytes } from "./protocol.ts";

const TYPES = { float32: Float32Array, float64: Float64Array, uint32: Uint32Array, uint8: Uint8Array };

interface PackedArray {
  dtype: keyof typeof TYPES;
  shape: number[];
  buffer: number;
}

export const isArray = (value: object): value is PackedArray =>
  "dtype" in value && "shape" in value && "buffer" in value;

/** A copy, because buffers may begin anywhere in a larger message, where typed arrays cannot. */
export function copyOf(bytes: Bytes): ArrayBuffer {
  const view = ArrayBuffer.isView(bytes)
    ? new Uint8Array(bytes.buffer, bytes.byteOffset, bytes.byteLength)
    : new Uint8Array(bytes);
  return view.slice().buffer;
}

/** The body of a reply with typed arrays in the places where Python had arrays. */
export function unpacked(value: unknown, buffers: readonly Bytes[]): unknown {
  if (Array.isArray(value)) return value.map((item) => unpacked(item, buffers));
  if (typeof value !== "object" || value === null) return value;
  if (!isArray(value)) {
    return Object.fromEntries(Object.entries(value).map(([name, entry]) => [name, unpacked(entry, buffers)]));
  }
  const { dtype, shape, buffer } = value;
  const bytes = buffers[buffer];
  const length = shape.reduce((product, size) => product * size, 1);
  if (bytes?.byteLength !== length * TYPES[dtype].BYTES_PER_ELEMENT) {
    throw new RangeError(`The reply lacks the numbers of its buffer ${buffer}.`);
  }
  return new TYPES[dtype](copyOf(bytes));
}
