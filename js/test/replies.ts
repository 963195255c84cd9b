/** What a kernel really sent, written down by Python's tests: an explorer of nine features, and a page saved of it. */
import { readFileSync } from "node:fs";
import {
  decodeClasses,
  decodeColors,
  decodeCurves,
  decodeEffects,
  decodeIntervals,
  decodeTwoWay,
  decodeUnlike,
} from "../src/wire/decode.ts";
import type * as wire from "../src/wire/protocol.ts";

export interface Reply<Body = unknown, Means = unknown> {
  request: wire.Request;
  body: Body;
  buffers: string[];
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

export const contract = load<{ header: wire.Header; profile: [string]; replies: Reply[] }>("explorer");
/** The parts of the page. */
export const blobs = load<string[]>("snapshot");

export const repliesTo = <R = Reply>(...types: wire.Request["type"][]): R[] =>
  contract.replies.filter(({ request }) => types.includes(request.type)) as R[];

/** A reply as the store reads it. */
export function decode(request: wire.Request, body: unknown, buffers: readonly wire.Bytes[]): unknown {
  switch (request.type) {
    case "curves":
      return decodeCurves(body as wire.CurvesBody, buffers);
    case "classes":
      return decodeClasses(body as wire.ClassesBody, buffers);
    case "effects":
      return decodeEffects(body as wire.EffectsBody, buffers);
    case "unlike":
      return decodeUnlike(body as wire.UnlikeBody, buffers, request.positions);
    case "intervals":
      return decodeIntervals(body as wire.IntervalsBody, buffers, contract.header.features.length);
    case "two_way":
      return decodeTwoWay(body as wire.TwoWayBody, buffers);
    case "colors":
    case "groups":
      return decodeColors(body as wire.ColorsBody, buffers, (request as wire.ColorsRequest).positions.length);
    default:
      return body;
  }
}
