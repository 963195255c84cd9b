import type { AnyModel } from "@anywidget/types";
import { signal } from "@preact/signals-core";
import { expect, test } from "vitest";
import { clinic, FakeKernel } from "../../dev/model.ts";
import { DEFAULTS, Remembered } from "../../src/store/view_choices.ts";
import type { Traits, ViewChoices } from "../../src/wire/protocol.ts";

const kernel = new FakeKernel(clinic(20));

function remembered(view: Traits["_view"]) {
  const model = kernel.model({ _view: view });
  return { model, choices: new Remembered(model as unknown as AnyModel<Traits>) };
}

test("what nobody chose is at its default, and a choice is written beside the others", () => {
  const { model, choices } = remembered({ left: "map" });
  expect(choices.of("left").value).toBe("map");
  expect(choices.of("right").value).toBe(DEFAULTS.right);
  choices.choose("shared_y", true);
  expect(model.get("_view")).toEqual({ left: "map", shared_y: true });
});

test("every view follows a choice of the document, and keeps its own zoom", () => {
  const { model, choices } = remembered({ zoom: { "ice Age": [0, 1, 0, 1] } });
  model.push("_view", { right: "all", zoom: {} });
  expect(choices.of("right").value).toBe("all");
  expect(choices.of("zoom").value).toEqual({ "ice Age": [0, 1, 0, 1] });
});

test("what says the same redraws nothing", () => {
  const { model, choices } = remembered({ compared: ["Age"] });
  const before = choices.of("compared").value;
  model.push("_view", { compared: ["Age"], left: "map" });
  expect(choices.of("compared").value).toBe(before);
});

test("settings stand over the defaults and under what was chosen, and are not written down", () => {
  const usual = signal<Partial<ViewChoices>>({ palette: "cividis", left: "map" });
  const model = kernel.model({ _view: { left: "bars" } });
  const choices = new Remembered(model as unknown as AnyModel<Traits>, usual);
  expect([choices.of("palette").value, choices.of("left").value]).toEqual(["cividis", "bars"]);
  expect(choices.chosen()).toEqual({ palette: "cividis" });
  usual.value = { palette: "viridis" };
  expect(choices.of("palette").value).toBe("viridis");
  choices.choose("palette", "default");
  usual.value = { palette: "cividis" };
  expect(choices.of("palette").value).toBe("default");
  expect(choices.chosen()).toEqual({});
  expect(model.get("_view")).toEqual({ left: "bars", palette: "default" });
});

test("a disposed view hears nothing more", () => {
  const { model, choices } = remembered({});
  choices.dispose();
  model.push("_view", { left: "map" });
  expect(choices.of("left").value).toBe("bars");
});
