/** A kernel of another version may send anything: the page shows what it can read, says what it cannot, and lives. */
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Traits } from "../../src/wire/protocol.ts";
import { changed, changes } from "../odd.ts";
import { frame, kernel, mount } from "./mount.ts";

const RUNS = 25;

const pause = (milliseconds: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, milliseconds));

/** Attributes that are drawn with numbers that are none. */
const broken = (root: HTMLElement): string[] =>
  [...root.querySelectorAll("svg, svg *")].flatMap((node) =>
    [...node.attributes]
      .filter(({ value }) => /NaN|undefined|Infinity/.test(value))
      .map(({ name, value }) => `${name}=${value}`),
  );

test("whatever the kernel sends, nothing is thrown and nothing is drawn at places that are none", {
  timeout: 120_000,
}, async () => {
  const thrown: unknown[] = [];
  const listen = (event: ErrorEvent | PromiseRejectionEvent): void => {
    thrown.push("reason" in event ? event.reason : event.error);
  };
  window.addEventListener("error", listen);
  window.addEventListener("unhandledrejection", listen);
  const kinds = fc.constantFrom("curves", "colors", "drivers", "rows", "classes");
  try {
    await fc.assert(
      fc.asyncProperty(changes, changes, kinds, fc.boolean(), async (ofTraits, ofReply, type, isAll) => {
        const traits = kernel.traits({ color_by: "BMI", _view: isAll ? { right: "all", left: "interactions" } : {} });
        const model = kernel.model(changed(traits, ofTraits));
        model.answer = (request) => {
          const answered = kernel.answer(request);
          if (answered === null) return null;
          const { id, ...reply } = answered.reply;
          const whole = { reply, buffers: answered.buffers ?? [] };
          const sent = request.type === type ? changed(whole, ofReply) : whole;
          setTimeout(() => model.emit("msg:custom", { ...(sent.reply as object), id }, sent.buffers));
          return null;
        };
        const { root, end } = mount(model);
        await frame();
        await pause(60);
        for (const [name, value] of Object.entries(changed(traits, ofReply))) {
          model.push(name as keyof Traits, value as never);
        }
        await frame();
        await pause(60);
        expect(broken(root)).toEqual([]);
        expect(thrown.splice(0)).toEqual([]);
        end();
      }),
      { numRuns: RUNS },
    );
  } finally {
    window.removeEventListener("error", listen);
    window.removeEventListener("unhandledrejection", listen);
  }
});
