/** Shows an explorer in the test page, as anywidget would, and finds its parts by their `data-test` names. */
import type { RenderProps } from "@anywidget/types";
import { expect, onTestFinished } from "vitest";
import { userEvent } from "vitest/browser";
import { clinic } from "../../dev/explorers.ts";
import type { FakeModel } from "../../dev/recorded.ts";
import widget from "../../src/index.ts";
import type { Traits } from "../../src/wire/protocol.ts";

export interface Mounted {
  root: HTMLElement;
  model: FakeModel;
  end: () => void;
  part: <T extends HTMLElement = HTMLElement>(name: string) => T;
  parts: (name: string) => HTMLElement[];
  bar: (feature: string) => HTMLElement;
  /** The features from top to bottom as they are ranked. */
  order: () => string[];
  /** Waits until the curves of a feature are drawn. */
  drawn: (feature: string) => Promise<void>;
}

/** What most tests show. */
export const kernel = clinic;

/** `place` is where the cell is appended: the body, or a place of `shadowRoot` or `notebookCell`. */
export function mount(model: FakeModel = kernel.model(), width = 1000, place: ParentNode = document.body): Mounted {
  const cell = document.createElement("div");
  cell.style.width = `${width}px`;
  place.append(cell);
  const cleanup = widget.render({ model, el: cell } as unknown as RenderProps<Traits>) as () => void;
  const root = cell.querySelector<HTMLElement>(".ice-explorer")!;
  let ended = false;
  const end = (): void => {
    if (ended) return;
    ended = true;
    cleanup();
    cell.remove();
  };
  onTestFinished(end);
  const parts = (name: string) => [...root.querySelectorAll<HTMLElement>(`[data-test="${name}"]`)];
  const part = <T extends HTMLElement>(name: string): T => {
    const [first] = parts(name);
    if (first === undefined) throw new Error(`There is no part named '${name}'.`);
    return first as T;
  };
  const bar = (feature: string): HTMLElement => {
    const found = parts("bar").find(({ dataset }) => dataset.feature === feature);
    if (found === undefined) throw new Error(`There is no bar of '${feature}'.`);
    return found;
  };
  const order = () =>
    parts("bar")
      .sort((a, b) => Number(a.dataset.rank) - Number(b.dataset.rank))
      .map(({ dataset }) => dataset.feature ?? "");
  const drawn = async (feature: string): Promise<void> => {
    await expect.poll(() => [root.dataset.feature, part("curves").dataset.state]).toEqual([feature, "ready"]);
  };
  return { root, model, end, part, parts, bar, order, drawn };
}

/** Mounts an explorer, and waits until it is drawn but for what the kernel is asked for. */
export async function mountFrame(...args: Parameters<typeof mount>): Promise<Mounted> {
  const mounted = mount(...args);
  await frame();
  await frame();
  return mounted;
}

/** Mounts an explorer, by default with "Age" open, and waits until its curves are drawn. */
export async function mountDrawn(...args: Parameters<typeof mount>): Promise<Mounted> {
  const mounted = mount(args[0] ?? kernel.model({ feature: "Age" }), args[1], args[2]);
  await mounted.drawn(mounted.model.get("feature"));
  return mounted;
}

function addToPage(): HTMLElement {
  const node = document.createElement("div");
  document.body.append(node);
  onTestFinished(() => node.remove());
  return node;
}

/** A shadow root, in which marimo mounts widgets; `document.activeElement` is its host while anything inside has the focus. */
export function shadowRoot(): ShadowRoot {
  const root = addToPage().attachShadow({ mode: "open" });
  root.append(...[...document.querySelectorAll("style")].map((style) => style.cloneNode(true)));
  return root;
}

/** An element that takes the focus on a press, as cells and notebooks of JupyterLab do. */
export function notebookCell(): HTMLElement {
  const node = addToPage();
  node.tabIndex = -1;
  return node;
}

/** Opens the menu of settings. */
export async function openMenu({ part }: Mounted): Promise<void> {
  if (part("view-menu").hidden) part("view").click();
  await expect.poll(() => part("view-menu").hidden).toBe(false);
}

export const frame = (): Promise<void> => new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve)));

/** How many pixels of the lines are inked, and how strongly. */
export function ink(canvas: HTMLElement): number {
  const { width, height } = canvas as HTMLCanvasElement;
  const { data } = (canvas as HTMLCanvasElement).getContext("2d")!.getImageData(0, 0, width, height);
  let sum = 0;
  for (let z = 3; z < data.length; z += 4) sum += data[z]!;
  return sum / 255;
}

/** Moves a slider as the mouse would, without letting go, or types into a field; resolves in the next frame. */
export function slideTo(slider: HTMLElement, value: number | string): Promise<void> {
  (slider as HTMLInputElement).value = String(value);
  slider.dispatchEvent(new Event("input", { bubbles: true }));
  return frame();
}

export function letGo(slider: HTMLElement): Promise<void> {
  slider.dispatchEvent(new Event("change", { bubbles: true }));
  return frame();
}

export function choose(select: HTMLElement, value: string): Promise<void> {
  (select as HTMLSelectElement).value = value;
  return letGo(select);
}

/** Types keys; resolves in the frame after the last one. */
export async function press(keys: string): Promise<void> {
  await userEvent.keyboard(keys);
  await frame();
}

/** Some time after any curves it is requested what makes them differ, what moves with the feature, and what is unlike the data. */
const AFTER_CURVES = ["drivers", "correlated", "unlike"];

/** How much was asked of the kernel besides. */
export const questions = (model: FakeModel): number =>
  model.sent.filter(({ type }) => !AFTER_CURVES.includes(type)).length;
