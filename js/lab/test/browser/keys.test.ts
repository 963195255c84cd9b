import { CommandRegistry } from "@lumino/commands";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { followKeys } from "../../src/keys.ts";

const COMMAND = "ice-explorer:export";
const PAGE = `
  <div class="ice-explorer">
    <input data-lm-suppress-shortcuts="true">
    <span tabindex="0">not suppressed</span>
  </div>
  <input id="outside" data-lm-suppress-shortcuts="true">`;

let commands: CommandRegistry;
let act: ReturnType<typeof vi.fn<(explorer: HTMLElement) => void>>;
beforeEach(() => {
  document.body.innerHTML = `<main>${PAGE}</main>`;
  commands = new CommandRegistry();
  act = vi.fn<(explorer: HTMLElement) => void>();
  followKeys(document.querySelector("main")!, commands, COMMAND, act);
});
afterEach(() => document.body.replaceChildren());

const bind = (...keys: string[]): unknown => commands.addKeyBinding({ command: COMMAND, keys, selector: "body" });

/** Presses Ctrl, Shift and Y, or something near it, and tells whether anybody else saw the key. */
function press(selector: string, changes: KeyboardEventInit = {}): boolean {
  const event = new KeyboardEvent("keydown", {
    key: "Y",
    code: "KeyY",
    keyCode: 89,
    ctrlKey: true,
    shiftKey: true,
    bubbles: true,
    cancelable: true,
    ...changes,
  });
  const target = document.querySelector(selector)!;
  const seen = vi.fn();
  target.addEventListener("keydown", seen, { once: true });
  target.dispatchEvent(event);
  return seen.mock.calls.length > 0 && !event.defaultPrevented;
}

test("acts on the explorer around the focus, where Lab runs no shortcut", () => {
  bind("Ctrl Shift Y");
  expect(press(".ice-explorer input")).toBe(false);
  expect(act).toHaveBeenCalledExactlyOnceWith(document.querySelector(".ice-explorer"));
});

test("leaves other keys, other places and what Lab runs itself alone", () => {
  bind("Ctrl Shift Y");
  expect(press(".ice-explorer input", { shiftKey: false })).toBe(true);
  expect(press("#outside")).toBe(true);
  expect(press(".ice-explorer span")).toBe(true);
  expect(act).not.toHaveBeenCalled();
});

test("follows the keys that users choose, also while the page is open", () => {
  expect(press(".ice-explorer input")).toBe(true);
  bind("Alt F9");
  expect(
    press(".ice-explorer input", {
      key: "F9",
      code: "F9",
      keyCode: 120,
      ctrlKey: false,
      shiftKey: false,
      altKey: true,
    }),
  ).toBe(false);
  expect(act).toHaveBeenCalledOnce();
});

test("leaves letters without a modifier to those who type", () => {
  bind("Shift Y");
  expect(press(".ice-explorer input", { ctrlKey: false })).toBe(true);
  expect(act).not.toHaveBeenCalled();
});
