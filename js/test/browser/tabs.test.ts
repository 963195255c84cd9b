import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { manyFeatures } from "../../dev/made_up.ts";
import { frame, kernel, mount, mountDrawn, mountFrame, slideTo } from "./mount.ts";

test("tabs lead to the interactions and to all features, and the choice is remembered", async () => {
  const { part, drawn, model } = mount();
  await drawn(kernel.top);
  await userEvent.click(part("tab-interactions"));
  expect([part("tabpanel-bars").hidden, part("tabpanel-interactions").hidden]).toEqual([true, false]);
  await userEvent.click(part("tab-all"));
  expect([part("tabpanel-feature").hidden, part("tabpanel-all").hidden]).toEqual([true, false]);
  expect(model.get("_view")).toEqual({ left: "interactions", right: "all" });
});

test("a view opens as it was left", () => {
  const { part } = mount(kernel.model({ _view: { left: "interactions", right: "all" } }));
  expect(part("tab-interactions").getAttribute("aria-selected")).toBe("true");
  expect(part("tabpanel-all").hidden).toBe(false);
});

test("arrow keys go from tab to tab, of which the Tab key reaches one; each tab names its panel, and each panel its tab", async () => {
  const { part, parts } = await mountFrame();
  part("tab-bars").focus();
  await userEvent.keyboard("{ArrowRight}");
  expect(document.activeElement).toBe(part("tab-interactions"));
  expect([part("tab-bars").tabIndex, part("tab-interactions").tabIndex]).toEqual([-1, 0]);
  await userEvent.keyboard("{ArrowRight}");
  expect(document.activeElement).toBe(part("tab-bars"));
  await userEvent.keyboard("{End}");
  expect(part("tab-interactions").getAttribute("aria-selected")).toBe("true");
  await userEvent.keyboard("{Home}");
  expect(part("tab-bars").getAttribute("aria-selected")).toBe("true");
  for (const name of ["bars", "interactions", "feature", "all"]) {
    const [tab, panel] = [parts(`tab-${name}`)[0]!, parts(`tabpanel-${name}`)[0]!];
    expect(tab.getAttribute("aria-controls")).toBe(panel.id);
    expect(panel.getAttribute("aria-labelledby")).toBe(tab.id);
    expect([tab.role, panel.role]).toEqual(["tab", "tabpanel"]);
  }
});

test("what is hidden does not exist and requests nothing", async () => {
  const { part, parts, model } = await mountDrawn();
  expect(parts("tile")).toEqual([]);
  expect(model.sent.filter(({ type }) => type === "curves").length).toBe(1);
  await userEvent.click(part("tab-interactions"));
  await expect.poll(() => parts("bar")).toEqual([]);
  await userEvent.click(part("tab-bars"));
  await expect.poll(() => parts("bar").length).toBe(8);
});

test("the controls stand over whichever curves are shown", async () => {
  const { part, model } = await mountDrawn();
  await userEvent.click(part("tab-all"));
  expect(part("tabpanel-all").contains(part("kind-c-ice"))).toBe(true);
  await userEvent.click(part("kind-c-ice"));
  expect(model.get("kind")).toBe("c-ice");
  await userEvent.click(part("tab-feature"));
  expect(part("curves").contains(part("kind-c-ice"))).toBe(true);
});

test("the ranking keeps its search and its scroll position while it is behind the other tab", async () => {
  const { part, parts, root, order } = await mountFrame(manyFeatures(60));
  const scroll = () => root.querySelector<HTMLElement>(".ice-bars-scroll")!;
  scroll().scrollTop = 480;
  await frame();
  await userEvent.click(part("tab-interactions"));
  await expect.poll(() => parts("bar")).toEqual([]);
  await userEvent.click(part("tab-bars"));
  await expect.poll(() => parts("bar").length).toBeGreaterThan(0);
  await frame();
  expect(scroll().scrollTop).toBe(480);
  await slideTo(part("search"), "sodium");
  const matches = order();
  await userEvent.click(part("tab-interactions"));
  await expect.poll(() => parts("bar")).toEqual([]);
  await userEvent.click(part("tab-bars"));
  await expect.poll(order).toEqual(matches);
  expect(part<HTMLInputElement>("search").value).toBe("sodium");
});
