import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { cases } from "../../dev/catalogue.ts";
import { kernel, type Mounted, mount, mountDrawn, shadowRoot } from "./mount.ts";

const shown = { left: "interactions" } as const;
const found = kernel.recorded("interactions");

async function opened(): Promise<Mounted> {
  const mounted = mount(kernel.model({ feature: "Age", _view: shown }));
  await expect.poll(() => mounted.parts("pair").length).toBe(10);
  return mounted;
}

test("nothing is computed before the tab is opened, and then once", async () => {
  const mounted = await mountDrawn();
  const asked = () => mounted.model.sent.filter(({ type }) => type === "interactions").length;
  expect(asked()).toBe(0);
  await userEvent.click(mounted.part("tab-interactions"));
  await expect.poll(() => mounted.parts("pair").length).toBe(10);
  expect(mounted.model.get("_view").left).toBe("interactions");
  await userEvent.click(mounted.part("tab-bars"));
  await userEvent.click(mounted.part("tab-interactions"));
  expect(asked()).toBe(1);
});

test("pairs and features are sorted by size, each with its H² and what both are from; a click opens another feature", async () => {
  const { model, part, parts } = await opened();
  const best = found.pairs[0]!;
  expect([best.first, best.second]).toEqual(["Age", "Smoker"]);
  expect(parts("pair")[0]!.textContent).toMatch(/^Age × Smoker: size 0\.\d+, H² 0\.\d+$/);
  expect(parts("joint-feature").map(({ dataset }) => dataset.name)).toEqual(
    found.features.map(({ feature }) => feature),
  );
  expect(part("interactions-basis").textContent).toMatch(/^From 300 rows\./);
  await userEvent.click(parts("joint-feature").find(({ dataset }) => dataset.name === "BMI")!);
  expect(model.get("feature")).toBe("BMI");
  const current = () => parts("joint-feature").find((row) => row.getAttribute("aria-current") === "true");
  await expect.poll(() => current()?.dataset.name).toBe("BMI");
});

test("an interaction too small to matter has a hollow bar", async () => {
  const model = kernel.model({ feature: "Age", _view: shown });
  const body = {
    ...found,
    pairs: found.pairs.map((pair, at) => ({ ...pair, effect: at < 9 ? 0.01 : 1e-6 })),
  };
  const { parts } = mount(model.replying("interactions", body));
  await expect.poll(() => parts("pair").length).toBe(10);
  expect(parts("pair").map((row) => row.hasAttribute("data-tiny"))).toEqual([...Array(9).fill(false), true]);
});

test("progress is shown, and can be cancelled and resumed; the focus stays on the button or row, in a shadow root", async () => {
  const model = cases["interactions, computing"]!();
  const place = shadowRoot();
  const { part, parts } = mount(model, 1000, place);
  await expect.poll(() => part("interactions-status").textContent).toBe("5 of 18 features and pairs");
  expect(parts("joint-feature").length).toBe(5);
  await userEvent.click(part("interactions-cancel"));
  await expect.poll(() => part("interactions-status").textContent).toBe("Cancelled after 5 of 18 features and pairs.");
  expect(place.activeElement).toBe(part("interactions-start"));
  await userEvent.click(part("interactions-start"));
  const row = parts("joint-feature")[1]!;
  row.focus();
  const reply = (body: typeof found): void => {
    const { id } = model.sent.findLast(({ type }) => type === "interactions")!;
    model.emit("msg:custom", { id, type: "result", body }, []);
  };
  const names = () => parts("joint-feature").map(({ dataset }) => dataset.name);
  const [before, sorted] = [names(), found.features.map(({ feature }) => feature)];
  // While more are computed, a row that is new is the last one where a row has the focus, whatever its size.
  const features = [{ ...found.features[5]!, effect: 9 }, ...found.features.slice(0, 5)];
  reply({ ...found, done: 6, features, pairs: [] });
  await expect.poll(names).toEqual([...before, sorted[5]]);
  const requests = () => model.sent.filter(({ type }) => type === "interactions").length;
  await expect.poll(requests).toBe(3);
  row.blur();
  await userEvent.hover(part("interactions-status"));
  reply({ ...found, done: 7, features, pairs: [] });
  await expect.poll(names).toEqual(features.map(({ feature }) => feature));
  row.focus();
  await expect.poll(requests).toBe(4);
  reply(found);
  await expect.poll(names).toEqual(sorted);
  await expect.poll(() => parts("pair").length).toBe(10);
  expect((place.activeElement as HTMLElement | null)?.dataset.name).toBe(row.dataset.name);
});
