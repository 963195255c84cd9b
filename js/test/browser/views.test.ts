import { expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { frame, kernel, letGo, mount, mountDrawn, press, slideTo } from "./mount.ts";

test("two views of one model show the same state, each points alone, and one outlives the other", async () => {
  const model = kernel.model({ feature: "Age", max_lines: 5 });
  const [one, two] = [mount(model), mount(model, 500)];
  for (const { drawn } of [one, two]) await drawn("Age");
  one.part("plot").focus();
  await press("{ArrowUp}");
  expect([one, two].map(({ parts }) => parts("hovered-line").length)).toEqual([1, 0]);
  await userEvent.click(one.bar("BMI"));
  await two.drawn("BMI");
  slideTo(two.part("decay-slider"), 0.4);
  await letGo(two.part("decay-slider"));
  expect(one.part("decay-value").textContent).toBe("0.4");
  expect(one.order().slice(0, 5)).toEqual(two.order()); // the narrow one shows five
  one.end();
  await userEvent.click(two.bar("Smoker"));
  await two.drawn("Smoker");
});

test("a closed view leaves no listener, no element and no work behind", async () => {
  const added: AbortSignal[] = [];
  const unbound: EventTarget[] = [];
  const original = EventTarget.prototype.addEventListener;
  const spy = vi.spyOn(EventTarget.prototype, "addEventListener").mockImplementation(function (
    this: EventTarget,
    type,
    listener,
    options,
  ) {
    if (typeof options === "object" && options.signal) added.push(options.signal);
    else if (!(this instanceof AbortSignal)) unbound.push(this);
    original.call(this, type, listener, options);
  });
  const model = kernel.model({ feature: "Age", color_by: "Ward" });
  const { end, root, drawn, part } = mount(model);
  spy.mockRestore();
  await drawn("Age");
  slideTo(part("decay-slider"), 0.3);
  model.delay = 50;
  model.push("feature", "Marker"); // whose curves are on their way
  end();
  // A listener of an element of the view ends with the element.
  expect(unbound.filter((target) => !(target instanceof Element) || target.isConnected)).toEqual([]);
  expect(added.length).toBeGreaterThan(10);
  expect(added.every(({ aborted }) => aborted)).toBe(true);
  expect(model.listenerCount).toBe(0);
  expect(root.isConnected).toBe(false);
  const before = root.outerHTML;
  model.push("feature", "BMI");
  model.push("decay", 0.9);
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(root.outerHTML).toBe(before);
});

test("one column in a narrow cell, two in a wide one, by its own width", async () => {
  const model = kernel.model();
  const narrow = mount(model, 400);
  const wide = mount(model, 990);
  await narrow.drawn(kernel.top);
  await wide.drawn(kernel.top);
  expect([narrow.root.dataset.layout, wide.root.dataset.layout]).toEqual(["narrow", "wide"]);
  const below =
    narrow.part("curves").getBoundingClientRect().top - narrow.part("ranking").getBoundingClientRect().bottom;
  expect(below).toBeGreaterThanOrEqual(0);
  expect(wide.part("curves").getBoundingClientRect().top).toBe(wide.part("ranking").getBoundingClientRect().top);
  for (const { root } of [narrow, wide]) expect(root.scrollWidth).toBeLessThanOrEqual(root.clientWidth);
  wide.root.parentElement!.style.width = "420px";
  await expect.poll(() => wide.root.dataset.layout).toBe("narrow");
});

test("a theme is followed even where the host hides the page while it switches", async () => {
  const { root, drawn, part } = await mountDrawn();
  const cell = root.parentElement!;
  cell.style.setProperty("--jp-layout-color0", "#111");
  cell.style.setProperty("--jp-ui-font-color1", "rgba(255, 255, 255, 0.87)");
  // Asked for its style, the page begins the transition; hidden, it never ends it.
  expect(getComputedStyle(root).backgroundColor).toBe("rgb(17, 17, 17)");
  cell.style.display = "none";
  await frame();
  cell.style.display = "";
  await expect.poll(() => root.dataset.theme).toBe("dark");
  await drawn("Age");
  expect(part("curves-canvas").checkVisibility()).toBe(true);
});
