/** Whatever a kernel of another version, or a damaged page, hands over: a picture or a sentence, and never an exception. */
import fc from "fast-check";
import { describe, expect, test, vi } from "vitest";
import { clinic, FakeKernel } from "../dev/model.ts";
import { type ReadBlob, readSnapshot, SnapshotClient, traitsOf } from "../src/standalone/snapshot_client.ts";
import type { Store } from "../src/store/store.ts";
import type { CurvesBody, Traits } from "../src/wire/protocol.ts";
import { changed, changes } from "./odd.ts";
import { blobs, bytes, contract, decode, repliesTo } from "./replies.ts";
import { closeStores, storeOf } from "./stores.ts";

/** The first buffer of curves that may be empty. */
const MISSING = 10;

/** The same bytes within others, at any offset. */
function within(content: DataView, offset: number): Uint8Array {
  const message = new Uint8Array(offset + content.byteLength + 3).fill(255);
  message.set(asBytes(content), offset);
  return message.subarray(offset, offset + content.byteLength);
}

const asBytes = ({ buffer, byteOffset, byteLength }: DataView) => new Uint8Array(buffer, byteOffset, byteLength);

const inBytes = repliesTo("curves", "classes", "effects", "unlike", "intervals", "two_way", "colors");

test.each(inBytes)(
  "buffers that are too short, too long or missing are refused, wherever they lie: $request",
  (reply) => {
    const { request, body } = reply;
    const whole = reply.buffers.map(bytes);
    const decoded = decode(request, body, whole);
    for (let offset = 1; offset < 8; offset++) {
      const buffers = [...whole.map((buffer) => within(buffer, offset)), new Uint8Array(4)];
      expect(decode(request, body, buffers)).toEqual(decoded);
    }
    for (const [at, buffer] of whole.entries()) {
      expect(() => decode(request, body, whole.slice(0, at))).toThrow(RangeError);
      // Where no observation lacks the value, predictions without it are not read.
      const isUnread = request.type === "curves" && at === MISSING && (body as CurvesBody).missing === null;
      // What may be absent is an empty buffer.
      const isOptional = request.type === "curves" && at > MISSING;
      const size = buffer.byteLength;
      for (const length of [0, 8, size - 8, size - 1, size + 1, size + 8]) {
        if (length < 0 || length === size || isUnread || (isOptional && (length === 0 || size === 0))) continue;
        const changed = new Uint8Array(length);
        changed.set(asBytes(buffer).subarray(0, length));
        const buffers = [...whole.slice(0, at), changed, ...whole.slice(at + 1)];
        expect(() => decode(request, body, buffers), `buffer ${at} of ${length} bytes`).toThrow(RangeError);
      }
    }
  },
);

const MINUTES = 30 * 60_000;

const kernel = new FakeKernel(clinic(20));
/** Reads all that panels read. */
function lookAt(store: Store): void {
  for (const value of Object.values(store) as unknown[]) {
    if (typeof value === "object" && value !== null && "peek" in value) (value as { peek(): unknown }).peek();
  }
  const figures = store.figures.peek();
  if (store.problem.peek() !== null) expect(store.problem.peek()).toMatch(/^.{20,}\.$/);
  for (const { value, rank } of store.ranking.peek()) expect([typeof value, typeof rank]).toEqual(["number", "number"]);
  if (figures !== null) expect(store.ranking.peek().length).toBe(figures.header.features.length);
}

const questions = contract.replies
  .map(({ request }) => request)
  .filter(({ type }) => !["classes", "export", "what_if", "in_common"].includes(type));

describe.each([
  { name: "the same few cases", options: {}, runs: { numRuns: 25, seed: 1 } },
  // `ICE_EXPLORER_FUZZ=10000 npm run test:node fuzz` tries more.
  { name: "other cases", options: { tags: ["slow"] }, runs: { numRuns: Number(process.env.ICE_EXPLORER_FUZZ ?? 150) } },
])("$name", ({ options, runs }) => {
  test("traits of any kind are shown or told of", { timeout: MINUTES, ...options }, () => {
    const traits = kernel.traits();
    fc.assert(
      fc.property(changes, changes, fc.boolean(), (first, second, isOther) => {
        const header = { ...kernel.header, ...(isOther ? { protocol: 5 } : {}) };
        const model = kernel.model(changed({ ...traits, _header: header }, first));
        model.answer = () => null;
        const store = storeOf(model);
        lookAt(store);
        for (const [name, value] of Object.entries(changed({ ...traits, _header: header }, second))) {
          model.push(name as keyof Traits, value as never);
          lookAt(store);
        }
        store.setMaxLines(3);
        store.remembered.choose("left", "interactions");
        store.select(0, true);
        closeStores();
      }),
      runs,
    );
  });

  test("tables of any length are read or told of", { timeout: MINUTES, ...options }, () => {
    const [impact, profile] = [kernel.impact, kernel.profile].map((table) => new Uint8Array(table.buffer));
    fc.assert(
      fc.property(fc.nat(impact!.length + 9), fc.nat(profile!.length + 9), (one, other) => {
        const model = kernel.model({ _impact: new Uint8Array(one), _profile: new Uint8Array(other) });
        model.answer = () => null;
        const store = storeOf(model);
        lookAt(store);
        expect(store.figures.peek() !== null).toBe(one === impact!.length && other === profile!.length);
      }),
      runs,
    );
  });

  test("a reply of any kind ends in a picture or in a sentence", { timeout: MINUTES, ...options }, async () => {
    await fc.assert(
      fc.asyncProperty(fc.constantFrom("curves", "colors", "drivers", "rows"), changes, async (type, change) => {
        const model = kernel.model({ feature: "Age", color_by: "BMI" });
        model.answer = (request) => {
          const answered = kernel.answer(request);
          if (answered === null || request.type !== type) return answered;
          const { id, ...rest } = answered.reply;
          const { reply, buffers } = changed({ reply: rest, buffers: answered.buffers ?? [] }, change);
          setTimeout(() => model.emit("msg:custom", { ...(reply as object), id }, buffers));
          return null;
        };
        const store = storeOf(model);
        const rows = store.rows([0]).then(({ rows }) => rows.length, String);
        await vi.waitFor(() => {
          if (!["ready", "error"].includes(store.picture.value.state)) throw new Error("no picture yet");
        });
        const picture = store.picture.value;
        if (picture.state === "error") expect(picture.message).toMatch(/^.{5,}$/s);
        if (picture.state === "ready") {
          const { curves, colors } = picture.loaded;
          for (const values of [curves.grid, curves.values, curves.partialDependence, curves.spread]) {
            expect(values.every(Number.isFinite)).toBe(true);
          }
          expect(colors?.values.length ?? curves.nLines).toBe(curves.nLines);
        }
        expect(await rows).toBeTruthy();
        closeStores();
      }),
      runs,
    );
  });

  test("a page of which a part is cut or changed tells the truth or a sentence", {
    timeout: MINUTES,
    ...options,
  }, async () => {
    const whole: ReadBlob = (blob) => blobs[blob]!;
    const snapshot = await readSnapshot(whole);
    const client = new SnapshotClient(snapshot, whole);
    const truth = await Promise.all(questions.map((question) => client.request(question)));
    const traits = await traitsOf(snapshot, whole);
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
          const found = await readSnapshot(read).catch(tell);
          if (found !== null) {
            const shown = await traitsOf(found, read).catch(tell);
            if (shown !== null) expect(shown).toEqual(traits);
            const page = new SnapshotClient(found, read);
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
