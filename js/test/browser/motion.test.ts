/** For those whom motion makes ill, nothing moves. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { cdp } from "vitest/browser";
import { cases } from "../../dev/catalogue.ts";
import { settled } from "./hosts.ts";
import { mount, slideTo } from "./mount.ts";

/** The probe that tells of a new theme by the start of a transition, which nobody sees. */
const PROBE = "ice-theme-probe";

const prefer = (value: string) =>
  (cdp() as unknown as { send(method: string, options: object): Promise<void> }).send("Emulation.setEmulatedMedia", {
    features: [{ name: "prefers-reduced-motion", value }],
  });

const seconds = (list: string): number => Math.max(...list.split(",").map((each) => Number.parseFloat(each)));

function moving(root: HTMLElement): string[] {
  return [...root.querySelectorAll("*")].flatMap((node) =>
    ["", "::before", "::after"].flatMap((part) => {
      const { animationName, transitionDuration, transitionDelay } = getComputedStyle(node, part);
      const still = animationName === "none" && seconds(transitionDuration) + seconds(transitionDelay) <= 0;
      return still || node.classList.contains(PROBE) ? [] : [`${node.getAttribute("class")}${part}`];
    }),
  );
}

beforeAll(() => prefer("reduce"));
afterAll(() => prefer(""));

test.each(Object.keys(cases))("%s moves nothing under reduced motion", async (name) => {
  const mounted = mount(cases[name]!());
  await settled(mounted);
  slideTo(mounted.part("decay-slider"), 0.02);
  await new Promise(requestAnimationFrame);
  expect(moving(mounted.root)).toEqual([]);
  const running = mounted.root.getAnimations({ subtree: true });
  const targets = running.map(({ effect }) => (effect as KeyframeEffect).target?.getAttribute("class"));
  expect(targets.filter((target) => target !== PROBE)).toEqual([]);
});
