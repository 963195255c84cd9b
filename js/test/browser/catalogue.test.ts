/** Each case of the catalogue is mounted once: axe, contrast in the themes of all hosts, the keyboard and reduced motion. */
/// <reference types="vite/client" />
import { afterAll, beforeAll, expect, onTestFinished, test } from "vitest";
import { userEvent } from "vitest/browser";
import { cases } from "../../dev/catalogue.ts";
import { contrasts, findings } from "./findings.ts";
import { dress, emulate, hosts, settled } from "./hosts.ts";
import { frame, type Mounted, mount, slideTo } from "./mount.ts";

/** Texts with a contrast below 4.5 : 1, also those in SVG and behind an opacity, which axe leaves out. */
async function faintTexts(mounted: Mounted): Promise<Record<string, [string, number][]>> {
  const faint: Record<string, [string, number][]> = {};
  for (const [host, variables] of Object.entries(hosts)) {
    await dress(mounted, variables);
    await frame();
    const measured = contrasts(mounted.root);
    expect(measured.length).toBeGreaterThan(10);
    faint[host] = measured.filter(([, ratio]) => ratio < 4.5);
  }
  return faint;
}

const STOPS = "button, select, input, textarea, summary, a[href], [tabindex]";

/** What the Tab key reaches: of radio buttons, the chosen one. */
const stopsIn = (root: HTMLElement): HTMLElement[] =>
  [...root.querySelectorAll<HTMLElement>(STOPS)].filter(
    (node) =>
      node.tabIndex >= 0 &&
      !node.matches(":disabled, [type=radio]:not(:checked)") &&
      node.checkVisibility({ visibilityProperty: true }),
  );

/** A part much larger than its grip has the ring around the grip. */
const hasRing = (node: HTMLElement): boolean =>
  node.matches(":focus-visible") &&
  [null, "::before"].some((of) => {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(node, of);
    return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2 && outlineColor !== "rgba(0, 0, 0, 0)";
  });

const start = (node: HTMLElement): string => node.outerHTML.slice(0, 160);

/** Tab goes through everything behind `from`, with a ring, and out on both sides. */
async function walk(root: HTMLElement, from: HTMLElement, after: HTMLElement): Promise<void> {
  const stops = stopsIn(root);
  const expected = stops.slice(stops.indexOf(from) + 1);
  const reached: HTMLElement[] = [];
  const unmarked: string[] = [];
  const look = ({ target }: FocusEvent): void => {
    const node = target as HTMLElement;
    reached.push(node);
    if (!hasRing(node)) unmarked.push(start(node));
  };
  from.focus();
  root.addEventListener("focusin", look);
  // All at once, because every message to the browser takes longer than the focus takes from end to end.
  await userEvent.keyboard("{Tab}".repeat(expected.length + 1));
  root.removeEventListener("focusin", look);
  expect(document.activeElement).toBe(after);
  expect(reached.map(start)).toEqual(expected.map(start));
  expect(unmarked).toEqual([]);
  expect(reached.length).toBeGreaterThan(4);
  await userEvent.tab({ shift: true });
  expect(document.activeElement).toBe(reached.at(-1));
}

/** The start of its transition shows that the theme has changed; nobody sees it. */
const PROBE = "ice-theme-probe";

const seconds = (list: string): number => Math.max(...list.split(",").map((each) => Number.parseFloat(each)));

/** Elements with an animation or a transition. */
function movingParts(root: HTMLElement): string[] {
  const styled = [...root.querySelectorAll(`:not(.${PROBE})`)].flatMap((node) =>
    ["", "::before", "::after"].flatMap((part) => {
      const { animationName, transitionDuration, transitionDelay } = getComputedStyle(node, part);
      const isStill = animationName === "none" && seconds(transitionDuration) + seconds(transitionDelay) <= 0;
      return isStill ? [] : [`${node.getAttribute("class")}${part}`];
    }),
  );
  const running = root
    .getAnimations({ subtree: true })
    .map(({ effect }) => String((effect as KeyframeEffect).target?.getAttribute("class")));
  return [...styled, ...running.filter((target) => target !== PROBE)];
}

beforeAll(() => emulate("prefers-reduced-motion", "reduce"));
afterAll(() => emulate("prefers-reduced-motion", ""));

/** A button before or after the explorer, in place of the cells of a notebook. */
function neighbour(): HTMLButtonElement {
  const button = document.createElement("button");
  document.body.append(button);
  onTestFinished(() => button.remove());
  return button;
}

/** Mounts a case, clicks on a part if one is named, and checks everything. */
async function check(name: string, width = 1000, clicked = ""): Promise<Mounted> {
  const before = neighbour();
  const mounted = mount(cases[name]!(), width);
  const after = neighbour();
  await settled(mounted);
  if (clicked !== "") await userEvent.click(mounted.part(clicked));
  expect(mounted.root.scrollWidth).toBeLessThanOrEqual(mounted.root.clientWidth);
  expect(await findings(mounted.root)).toEqual([]);
  for (const [host, faint] of Object.entries(await faintTexts(mounted))) expect(faint, host).toEqual([]);
  const shortcuts = [...mounted.root.querySelectorAll<HTMLElement>(STOPS)].filter(
    ({ dataset }) => dataset.lmSuppressShortcuts !== "true",
  );
  expect(shortcuts.map(start)).toEqual([]); // JupyterLab's, which would take keys from what has the focus
  // A menu closes when the focus goes elsewhere.
  await walk(mounted.root, clicked === "view" ? mounted.part(clicked) : before, after);
  // A heat map has no slider.
  for (const slider of mounted.parts("decay-slider")) slideTo(slider, 0.02);
  await new Promise(requestAnimationFrame);
  expect(movingParts(mounted.root)).toEqual([]);
  return mounted;
}

/** Typical cases of each panel, by the name of its folder, with all kinds of features, states and models between them. */
const typical: Record<string, readonly string[]> = {
  ranking: ["ready", "forty features", "two thousand, computing", "intervals", "two models by disagreement"],
  interactions: ["interactions"],
  feature: [
    "slopes",
    "category, coloured",
    "numbers with gaps",
    "dates",
    "all that is optional",
    "error",
    "four models",
  ],
  controls: ["groups and a filter", "ramp", "parted at the median"],
  pair: ["two kinds of levels", "two numbers, computing"],
  rows: ["coloured", "many selected"],
  small_plots: ["all features, every kind", "compared", "three classes"],
  status: ["cancelled", "drafts, cancelled"],
  export: ["kernel gone"],
};

/** What a typical case of a panel shows. */
const PARTS: Record<string, string> = {
  controls: "[data-test=decay]",
  export: "[data-test=export]",
  feature: "[data-test=curves]",
  interactions: "[data-test=interactions]",
  pair: "[data-test=pair-panel]",
  ranking: "[data-test=ranking]",
  rows: "[data-test=selected-rows]",
  small_plots: "[data-test=all-features], [data-test=classes]",
  status: "[data-test=status]",
};

test("each panel has typical cases", () => {
  const panels = Object.keys(import.meta.glob("../../src/panels/*/*.{ts,tsx}")).map((path) => path.split("/")[4]);
  expect(Object.keys(typical).sort()).toEqual([...new Set(panels)].sort());
  expect(Object.keys(PARTS)).toEqual(Object.keys(typical).sort());
});

const shown = Object.entries(typical).flatMap(([panel, names]) => names.map((name) => [name, panel] as const));

test.each(shown)("%s, a typical case of %s", async (name, panel) => {
  const { root } = await check(name);
  expect([...root.querySelectorAll(PARTS[panel]!)].some((node) => node.checkVisibility())).toBe(true);
});

test.each([
  ["coloured", 1000, "view"],
  ["drafts, cancelled", 1000, "view"],
  ["forty features", 700, "ranking-whole"],
  ["all that is optional", 420, ""],
  ["four models", 400, ""],
])("%s in %i px, after a click on %j", async (name, width, clicked) => {
  await check(name, width, clicked);
});

const rare = Object.keys(cases).filter((name) => !shown.some(([typical]) => typical === name));

test.each(rare)("%s", { tags: ["slow"] }, async (name) => {
  await check(name);
});
