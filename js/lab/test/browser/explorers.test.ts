import { afterEach, beforeEach, expect, test } from "vitest";
import { Explorers, explorerAround } from "../../src/explorers.ts";

/** Two notebooks, side by side as far as they are shown, with explorers in cells a screen high. */
const PAGE = `
  <main style="height: 400px; overflow: auto" data-notebook="open">
    <div class="ice-explorer" id="first" style="height: 500px"><button>First</button></div>
    <div class="ice-explorer" id="second" style="height: 500px"><button>Second</button></div>
  </main>
  <main data-notebook="beside"><div class="ice-explorer" id="beside"><button>Beside</button></div></main>
  <main data-notebook="covered" style="display: none">
    <div class="ice-explorer" id="covered"><button>Covered</button></div>
  </main>
  <main data-notebook="without">No explorer</main>`;

let explorers: Explorers;
beforeEach(() => {
  document.body.innerHTML = PAGE;
  explorers = new Explorers(document);
});
afterEach(() => document.body.replaceChildren());

const notebook = (name: string): HTMLElement => document.querySelector<HTMLElement>(`[data-notebook=${name}]`)!;
const chosenIn = (name: string): string | undefined => explorers.choose(notebook(name))?.id;
const buttonOf = (id: string): HTMLElement => document.querySelector<HTMLElement>(`#${id} button`)!;

test("is the first in sight", () => {
  expect(chosenIn("open")).toBe("first");
  notebook("open").scrollTop = 600;
  expect(chosenIn("open")).toBe("second");
});

test("is the first of all where none is in sight", () => {
  notebook("open").insertAdjacentHTML("afterbegin", '<div style="height: 2000px"></div>');
  expect(chosenIn("open")).toBe("first");
});

test("is the one used last, by the keyboard or by the pointer, though the focus has gone", () => {
  buttonOf("second").focus();
  buttonOf("second").blur();
  expect(chosenIn("open")).toBe("second");
  document.querySelector("#first")!.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  notebook("without").click();
  expect(chosenIn("open")).toBe("first");
});

test("is one of the open notebook before all others", () => {
  buttonOf("beside").focus();
  expect(chosenIn("open")).toBe("first");
  expect(chosenIn("beside")).toBe("beside");
});

test("is one beside the open document where that has none, the one used last first", () => {
  expect(chosenIn("without")).toBe("first");
  buttonOf("beside").focus();
  expect(chosenIn("without")).toBe("beside");
  expect(explorers.choose(null)?.id).toBe("beside");
});

test("is never one that is covered or gone", () => {
  document.querySelector("#covered")!.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true }));
  expect(chosenIn("covered")).toBe("first");
  buttonOf("second").focus();
  document.querySelector("#second")!.remove();
  expect(chosenIn("open")).toBe("first");
  for (const explorer of document.querySelectorAll(".ice-explorer")) explorer.remove();
  expect(explorers.choose(notebook("open"))).toBeNull();
});

test("is found around any part of it", () => {
  expect(explorerAround(buttonOf("second"))?.id).toBe("second");
  expect(explorerAround(document.querySelector("#second"))?.id).toBe("second");
  expect(explorerAround(notebook("open"))).toBeNull();
  expect(explorerAround(window)).toBeNull();
  expect(explorerAround(null)).toBeNull();
});
