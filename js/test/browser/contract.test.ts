/** The explorer on what a kernel really sends: gaps, a constant, markup in a level, an output of a million. */
import { expect, test } from "vitest";
import contract from "../../../tests/contract/explorer.json";
import { FakeModel } from "../../dev/recorded.ts";
import { unpacked } from "../../src/wire/arrays.ts";
import type { ColorsBody, Traits } from "../../src/wire/protocol.ts";
import { choose, ink, mount } from "./mount.ts";

const bytes = (text: string): Uint8Array<ArrayBuffer> => Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));

function kernelModel(feature: string): FakeModel {
  const traits: Traits = {
    feature,
    color_by: null,
    kind: "ice",
    decay: 0.75,
    rank_by: "in_distribution_impact",
    convention: "paper",
    ci: null,
    anchor: "min",
    max_lines: 1000,
    selection: [],
    output: "",
    response: "",
    model: "",
    distance: "marginal",
    _view: {},
    _given: [],
    _status: { state: "ready", done: 9, total: 9, label: "", message: "", n_rows: null, n_all: null },
    _header: contract.header as unknown as Traits["_header"],
    _impact: bytes(contract.impact[0]!),
    _profile: bytes(contract.profile[0]!),
    _models_impact: new ArrayBuffer(0),
    _models_profile: new ArrayBuffer(0),
  };
  return new FakeModel(traits, (request) => {
    const found = contract.replies.find(
      ({ request: known }) =>
        known.type === request.type &&
        (request.type !== "curves" || known.feature === request.feature) &&
        (request.type !== "colors" || known.column === request.column),
    );
    if (found === undefined) return { reply: { id: request.id, type: "error", message: "Not in the contract." } };
    const body = unpacked(found.body, found.buffers.map(bytes));
    if (request.type !== "colors") return { reply: { id: request.id, type: "result", body } };
    const { scale, values } = body as ColorsBody;
    const drawn = Float64Array.from(request.positions, (position) => values[position]!);
    return { reply: { id: request.id, type: "result", body: { scale, values: drawn } } };
  });
}

const features = contract.header.features.map(({ name }) => name);

test.each(features)("%s is drawn in every kind and coloured by every column", async (feature) => {
  const { root, part, drawn } = mount(kernelModel(feature));
  await drawn(feature);
  for (const kind of ["c-ice", "d-ice", "ice"]) {
    if (part(`kind-${kind}`).hasAttribute("aria-disabled")) continue;
    part(`kind-${kind}`).click();
    await expect.poll(() => root.dataset.kind).toBe(kind);
    if (feature !== "constant" || kind !== "d-ice") expect(ink(part("curves-canvas"))).toBeGreaterThan(0);
    expect(part("plot").innerHTML).not.toContain("NaN");
  }
  for (const { name } of contract.header.columns) {
    choose(part("color-by"), name);
    await expect.poll(() => part("legend").textContent).toMatch(new RegExp(`^${name}`));
  }
  expect(root.querySelector("b b, .ice-legend b")).toBeNull();
});
