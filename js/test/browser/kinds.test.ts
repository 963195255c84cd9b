/** Every kind of feature in the explorer: what stands on its axis, beside it, and what is not offered. */
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { rentals } from "../../dev/explorers.ts";
import { choose, frame, type Mounted, mountDrawn, questions } from "./mount.ts";

const texts = (parent: Element): string[] => [...parent.querySelectorAll("text")].map((text) => text.textContent ?? "");

/** Moves the pointer to a place in the plot, given as shares of its size, or as px from its upper left corner. */
function point({ part }: Mounted, x: number, y: number): void {
  const box = part("plot").getBoundingClientRect();
  part("plot").dispatchEvent(
    new PointerEvent("pointermove", { clientX: box.left + x, clientY: box.top + y, bubbles: true }),
  );
}

test("levels stand on the axis in their order, each with a mean of its own and no line between", async () => {
  const { part, parts } = await mountDrawn(rentals.model({ feature: "District" }), 1100);
  expect(texts(part("level-axis"))).toEqual(["Altstadt", "Harbour", "North", "<b>Ost</b>", "Lindenhof", "Seefeld"]);
  const means = parts("partial-dependence");
  expect(means.length).toBe(7); // six levels, and where the value is missing
  for (const mean of means) expect(mean.tagName).toBe("circle");
});

test("names of levels that would touch are slanted and cut, and the hover shows them whole", async () => {
  const mounted = await mountDrawn(rentals.model({ feature: "Heating" }), 400);
  const { part } = mounted;
  const labels = [...part("level-axis").querySelectorAll("text")];
  expect(labels.every((label) => label.getAttribute("transform")?.startsWith("rotate"))).toBe(true);
  expect(labels.map(({ textContent }) => textContent).some((text) => text!.endsWith("…"))).toBe(true);
  const tick = part("level-axis").querySelectorAll(".ice-tick")[4]!;
  point(mounted, Number(tick.getAttribute("x1")), Number(tick.getAttribute("y1")) + 10);
  await expect.poll(() => part("tooltip").hidden).toBe(false);
  expect(part("tooltip").textContent).toMatch(
    /^wood pellets and solar collectorsobservations\d+ of \d+.*partial dependence/,
  );
});

test("slopes are not offered between levels without an order, with a sentence why", async () => {
  const { root, part } = await mountDrawn(rentals.model({ feature: "District", kind: "d-ice" }));
  expect(root.dataset.kind).toBe("ice");
  const sentence =
    "District has levels without an order, so there is no slope from one to the next. Its ICE is shown instead.";
  expect(part("kind-remark").textContent).toBe(sentence);
  expect(part("kind-d-ice").getAttribute("aria-disabled")).toBe("true");
  part("kind-ice").focus();
  await userEvent.keyboard("{ArrowLeft}");
  expect(document.activeElement).toBe(part("kind-d-ice"));
  expect(part("tooltip").textContent).toBe(sentence);
  expect(root.dataset.kind).toBe("ice");
  await userEvent.keyboard("{ArrowLeft}");
  await expect.poll(() => root.dataset.kind).toBe("c-ice");
  expect(part("kind-remark").hidden).toBe(true);
});

test("the wish for slopes stays for the next feature that has some, per rank where levels have an order", async () => {
  const { root, part, bar, drawn } = await mountDrawn(rentals.model({ feature: "District", kind: "d-ice" }));
  bar("Energy class").click();
  await drawn("Energy class");
  expect(root.dataset.kind).toBe("d-ice");
  expect(part("y-title").textContent).toBe("↑ slope of the prediction per rank of Energy class");
});

test("a missing value stands beside the axis, not on it, and no solid line leads there", async () => {
  const { part, parts } = await mountDrawn(rentals.model({ feature: "Area", selection: [2] }));
  expect(texts(part("missing-axis"))).toEqual(["missing"]);
  expect(part("histogram-missing")).toBeTruthy();
  const selected = part("selected-line"); // row 2 lacks its area
  const circles = [...selected.querySelectorAll("circle")].map((circle) => Number(circle.getAttribute("cx")));
  const slot = Number(part("missing-axis").querySelector(".ice-baseline")!.getAttribute("x1"));
  expect(circles.length).toBe(2);
  expect(Math.min(...circles)).toBeGreaterThan(slot);
  expect(getComputedStyle(selected.querySelector(".ice-to-missing")!).strokeDasharray).not.toBe("none");
  expect(parts("partial-dependence").length).toBe(2);
  part("kind-d-ice").click();
  await expect.poll(() => parts("missing-axis").length).toBe(0);
});

test("beside the axis the pointer finds the row whose prediction without the value is nearest", async () => {
  const mounted = await mountDrawn(rentals.model({ feature: "Area", max_lines: 4 }));
  const { part } = mounted;
  const mean = part("missing-axis").querySelector(".ice-tick")!;
  const y = Number(mounted.parts("partial-dependence").at(-1)!.getAttribute("cy"));
  for (let away = -60; away <= 60 && part("tooltip").hidden; away += 6) {
    point(mounted, Number(mean.getAttribute("x1")), y + away);
    await frame();
  }
  expect(part("tooltip").textContent).toMatch(/if missing[\d.,]+/);
});

test("dates have ticks at round dates and durations a unit that suits them", async () => {
  const { part, bar, drawn } = await mountDrawn(rentals.model({ feature: "Built" }));
  expect(part("plot").textContent).toMatch(/2010(2012|2015).*20(26|25)/);
  bar("Time to the centre").click();
  await drawn("Time to the centre");
  expect(part("x-title").textContent).toBe("Time to the centre (minutes) →");
});

test("c-ICE is anchored at a level by its name", async () => {
  const { part, model } = await mountDrawn(rentals.model({ feature: "District", kind: "c-ice" }));
  await frame();
  const offered = [...part<HTMLSelectElement>("anchor").options].map(({ text }) => text);
  expect(offered.slice(0, 5)).toEqual(["first level", "last level", "most frequent", "observed level", "Altstadt"]);
  choose(part("anchor"), "2");
  await expect.poll(() => part("y-title").textContent).toBe("↑ change of the prediction from District = North");
  expect(model.get("anchor")).toBe(2);
});

test("a figure that categories lack is a dash after the others, and their bars say what kind they are", async () => {
  const { bar, order, part } = await mountDrawn(rentals.model({ feature: "District", rank_by: "non_linearity" }));
  expect(order().slice(-3).sort()).toEqual(["District", "Heating", "Municipality"]);
  expect(bar("District").querySelector("[data-test=bar-figure]")!.textContent).toBe("–");
  expect(bar("District").dataset).toMatchObject({ sign: "levels" });
  expect(bar("District").dataset.pending).toBeUndefined();
  expect(bar("District").getAttribute("aria-label")).toContain("undefined non-linearity, has levels without an order");
  expect(part("facts").dataset.explanation).not.toContain("non-linearity");
});

test("the card of a bar has all figures, of categories the typical change between two levels", async () => {
  const { bar, part } = await mountDrawn(rentals.model({ feature: "Area" }));
  await userEvent.hover(bar("District"));
  await expect
    .poll(() => part("tooltip").textContent)
    .toMatch(
      /^Districtkindcategories, 6 levelsimpact.*typical change between two levels[\d.,]+Typical change of the prediction/,
    );
  await userEvent.hover(bar("Area"));
  await expect.poll(() => part("tooltip").textContent).toMatch(/^Areakindnumbers/);
  expect(part("tooltip").textContent).not.toContain("change between two levels");
});

/** An explorer that explains one of two outputs, in one of two responses. */
const withOutputs = (outputs: string[], width = 1000): Promise<Mounted> => {
  const _header = { ...rentals.header, outputs, responses: ["predict_proba", "log_odds"] };
  return mountDrawn(rentals.model({ feature: "Area", output: outputs[0]!, response: "predict_proba", _header }), width);
};

test("output and response are chosen where there are several, and their curves are asked for anew", async () => {
  const { part, model } = await withOutputs(["setosa", "virginica"]);
  const offered = (name: string) => [...part<HTMLSelectElement>(name).options].map(({ text }) => text);
  expect(offered("output")).toEqual(["setosa", "virginica"]);
  expect(offered("response")).toEqual(["probability", "log-odds"]);
  const asked = questions(model);
  choose(part("output"), "virginica");
  await expect.poll(() => questions(model)).toBe(asked + 1);
  choose(part("response"), "log_odds");
  await expect.poll(() => questions(model)).toBe(asked + 2);
  expect([model.get("output"), model.get("response")]).toEqual(["virginica", "log_odds"]);
  const { part: ofOne } = await mountDrawn(rentals.model({ feature: "Area" }));
  expect(ofOne("output").closest("label")!.hidden).toBe(true);
});

test.each([1100, 720, 400])("what is explained is chosen first in the bar, in a cell of %i px", async (width) => {
  const { part, root } = await withOutputs(
    ["a class with a name that is far too long for any bar", "virginica"],
    width,
  );
  const [output, decay, readout, whole] = [part("output"), part("decay"), part("decay-readout"), root].map((node) =>
    node.getBoundingClientRect(),
  );
  expect(part("output").checkVisibility()).toBe(true);
  expect(output!.bottom).toBeLessThanOrEqual(decay!.top);
  expect(output!.top - whole!.top).toBeLessThan(40);
  for (const { right } of [output!, decay!, readout!]) expect(right).toBeLessThanOrEqual(whole!.right);
  expect(readout!.height).toBeLessThan(24);
});
