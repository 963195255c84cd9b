/** What a kernel really sent, written down by Python's tests: an explorer of nine features, and a page saved of it. */
import { readFileSync } from "node:fs";
import { unpacked } from "../src/wire/arrays.ts";
import type * as wire from "../src/wire/protocol.ts";

export interface Reply<Body = unknown, Means = unknown> {
  request: wire.Request;
  /** As the page reads it; `packed` and `buffers` are what travels. */
  body: Body;
  packed: unknown;
  buffers: DataView[];
  /** What the engine says it means. */
  means: Means;
}

export const load = <T>(name: string): T =>
  JSON.parse(readFileSync(new URL(`../../tests/contract/${name}.json`, import.meta.url), "utf-8")) as T;

/** wire.Bytes as Jupyter hands them over. */
export function bytes(text: string): DataView {
  const { buffer, byteOffset, byteLength } = Buffer.from(text, "base64");
  return new DataView(buffer, byteOffset, byteLength);
}

type Written = Omit<Reply, "packed" | "buffers"> & { buffers: string[] };

const written = load<{ header: wire.Header; profile: [string]; replies: Written[] }>("explorer");
export const contract = {
  ...written,
  replies: written.replies.map((reply): Reply => {
    const buffers = reply.buffers.map(bytes);
    return { ...reply, body: unpacked(reply.body, buffers), packed: reply.body, buffers };
  }),
};
/** The parts of the page. */
export const blobs = load<string[]>("recording");

export const repliesTo = <R = Reply>(...types: wire.Request["type"][]): R[] =>
  contract.replies.filter(({ request }) => types.includes(request.type)) as R[];
