import type { AnyModel } from "@anywidget/types";
import { expect, test } from "vitest";
import { clinic as kernel } from "../../dev/explorers.ts";
import { Remembered } from "../../src/state/view_choices.ts";
import { CHOICE_DEFAULTS, type Traits } from "../../src/wire/protocol.ts";

function remembered(view: Traits["_view"]) {
  const model = kernel.model({ _view: view });
  return { model, choices: new Remembered(model as unknown as AnyModel<Traits>) };
}

test("what nobody chose is at its default, and a choice is written beside the others", () => {
  const { model, choices } = remembered({ left: "interactions" });
  expect(choices.of("left").value).toBe("interactions");
  expect(choices.of("right").value).toBe(CHOICE_DEFAULTS.right);
  choices.choose("shared_y", false);
  expect(model.get("_view")).toEqual({ left: "interactions", shared_y: false });
});

test("every view follows a choice of the document, and keeps its own filters", () => {
  const { model, choices } = remembered({ filters: { Ward: { hidden: ["north"] } } });
  model.push("_view", { right: "all", filters: {} });
  expect(choices.of("right").value).toBe("all");
  expect(choices.of("filters").value).toEqual({ Ward: { hidden: ["north"] } });
});

test("what says the same redraws nothing", () => {
  const { model, choices } = remembered({ compared: ["Age"] });
  const before = choices.of("compared").value;
  model.push("_view", { compared: ["Age"], left: "interactions" });
  expect(choices.of("compared").value).toBe(before);
});

test("a disposed view hears nothing more", () => {
  const { model, choices } = remembered({});
  choices.dispose();
  model.push("_view", { left: "interactions" });
  expect(choices.of("left").value).toBe("bars");
});
