/** Whatever a damaged message or page hands over: what is true, or a sentence. */
import type { AnyModel } from "@anywidget/types";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { type ReadBlob, RecordedModel, readRecording } from "../src/standalone/recorded_model.ts";
import { unpacked } from "../src/wire/arrays.ts";
import { ModelClient } from "../src/wire/client.ts";
import { blobs, contract, repliesTo } from "./replies.ts";

/** The same bytes within others, at any offset. */
function within({ buffer, byteOffset, byteLength }: DataView, offset: number): Uint8Array {
  const message = new Uint8Array(offset + byteLength + 3).fill(255);
  message.set(new Uint8Array(buffer, byteOffset, byteLength), offset);
  return message.subarray(offset, offset + byteLength);
}

const inBytes = repliesTo("curves", "classes", "effects", "unlike", "intervals", "two_way", "colors");

test.each(inBytes)(
  "buffers are read wherever they lie, and those that are missing or of another length are refused: $request",
  ({ packed, body, buffers }) => {
    for (let offset = 1; offset < 8; offset++) {
      expect(unpacked(packed, [...buffers.map((buffer) => within(buffer, offset)), new Uint8Array(4)])).toEqual(body);
    }
    for (const [at, { byteLength: size }] of buffers.entries()) {
      expect(() => unpacked(packed, buffers.slice(0, at))).toThrow(RangeError);
      for (const length of [size - 1, size + 1, size + 8].filter((each) => each >= 0)) {
        expect(() => unpacked(packed, buffers.with(at, new DataView(new ArrayBuffer(length))))).toThrow(RangeError);
      }
    }
  },
);

const MINUTES = 30 * 60_000;

const questions = contract.replies
  .map(({ request }) => request)
  .filter(({ type }) => !["classes", "export", "what_if", "in_common"].includes(type));

describe.each([
  { name: "the same few cases", options: {}, runs: { numRuns: 25, seed: 1 } },
  // `ICE_EXPLORER_FUZZ=10000 npm run test:node fuzz` tries more.
  { name: "other cases", options: { tags: ["slow"] }, runs: { numRuns: Number(process.env.ICE_EXPLORER_FUZZ ?? 150) } },
])("$name", ({ options, runs }) => {
  test("a page of which a part is cut or changed tells the truth or a sentence", {
    timeout: MINUTES,
    ...options,
  }, async () => {
    const whole: ReadBlob = (blob) => blobs[blob]!;
    const made = await RecordedModel.read(await readRecording(whole), whole);
    const client = new ModelClient(made as AnyModel, made);
    const truth = await Promise.all(questions.map((question) => client.request(question)));
    const tables = ["_header", "_impact", "_profile"] as const;
    await fc.assert(
      fc.asyncProperty(
        fc.nat(blobs.length - 1),
        fc.double({ min: 0, max: 0.999999, noNaN: true }),
        fc.constantFrom("cut", "change", "gone"),
        async (blob, place, how) => {
          const text = blobs[blob]!;
          const at = Math.floor(place * text.length);
          const damaged = {
            cut: text.slice(0, at),
            change: `${text.slice(0, at)}${text[at] === "A" ? "B" : "A"}${text.slice(at + 1)}`,
            gone: "",
          }[how];
          const read: ReadBlob = (each) => (each === blob ? damaged : blobs[each]!);
          const sentences: string[] = [];
          const tell = (error: unknown): null => {
            sentences.push(String((error as Error).message));
            return null;
          };
          const found = await readRecording(read)
            .then((recording) => RecordedModel.read(recording, read))
            .catch(tell);
          if (found !== null) {
            for (const name of tables) expect(found.get(name)).toEqual(made.get(name));
            const page = new ModelClient(found as AnyModel, found);
            for (const [at, question] of questions.entries()) {
              const answer = await page.request(question).catch(tell);
              if (answer !== null) expect(answer).toEqual(truth[at]);
            }
          }
          for (const sentence of sentences) expect(sentence).toMatch(/^[A-Z].{20,}\.$/s);
        },
      ),
      runs,
    );
  });
});
