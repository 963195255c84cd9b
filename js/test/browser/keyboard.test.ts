/** From one end to the other with the keyboard alone. */
import { expect, onTestFinished, test } from "vitest";
import { userEvent } from "vitest/browser";
import { cases } from "../../dev/catalogue.ts";
import { settled } from "./hosts.ts";
import { mount } from "./mount.ts";

const STOPS = "button, select, input, textarea, summary, a[href], [tabindex]";

function stopsOf(root: HTMLElement): HTMLElement[] {
  return [...root.querySelectorAll<HTMLElement>(STOPS)].filter(
    (node) => node.tabIndex >= 0 && !node.matches(":disabled") && node.checkVisibility({ visibilityProperty: true }),
  );
}

/** Returns the stops once they stay the same for a while: what is drawn late brings further ones. */
async function restingStops(root: HTMLElement): Promise<HTMLElement[]> {
  let stops = stopsOf(root);
  for (let turn = 0, quiet = 0; turn < 60 && quiet < 6; turn++) {
    await new Promise((resolve) => setTimeout(resolve, 50));
    const now = stopsOf(root);
    quiet = now.length === stops.length && now.every((node, at) => node === stops[at]) ? quiet + 1 : 0;
    stops = now;
  }
  return stops;
}

/** A button before and one after the explorer, as cells of a notebook would have. */
function gate(): HTMLButtonElement {
  const button = document.createElement("button");
  document.body.append(button);
  onTestFinished(() => button.remove());
  return button;
}

/** A part much larger than its grip has the ring around the grip. */
function outlined(node: HTMLElement): boolean {
  return [null, "::before"].some((of) => {
    const { outlineStyle, outlineWidth, outlineColor } = getComputedStyle(node, of);
    return outlineStyle !== "none" && Number.parseFloat(outlineWidth) >= 2 && outlineColor !== "rgba(0, 0, 0, 0)";
  });
}

test.each(Object.keys(cases))("%s: Tab goes through everything, and out on both sides", async (name) => {
  const before = gate();
  const mounted = mount(cases[name]!());
  const after = gate();
  await settled(mounted);
  const expected = await restingStops(mounted.root);
  before.focus();
  const met: { node: HTMLElement; ring: boolean; suppresses: string | undefined }[] = [];
  const look = ({ target }: FocusEvent): void => {
    const node = target as HTMLElement;
    const ring = node.matches(":focus-visible") && outlined(node);
    met.push({ node, ring, suppresses: node.dataset.lmSuppressShortcuts });
  };
  mounted.root.addEventListener("focusin", look);
  // All at once, because every question to the browser takes longer than the way of the focus.
  await userEvent.keyboard("{Tab}".repeat(expected.length + 1));
  expect(document.activeElement).toBe(after);
  mounted.root.removeEventListener("focusin", look);
  const start = (node: HTMLElement): string => node.outerHTML.slice(0, 160);
  expect(met.map(({ node }) => start(node))).toEqual(expected.map(start));
  const unmarked = met.filter(({ ring, suppresses }) => !ring || suppresses !== "true");
  expect(unmarked.map(({ node }) => start(node))).toEqual([]);
  expect(met.length).toBeGreaterThan(4);
  await userEvent.tab({ shift: true });
  expect(document.activeElement).toBe(met.at(-1)?.node);
});
