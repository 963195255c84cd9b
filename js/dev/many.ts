/** As many features as wanted, without computing them: those of the clinic over and over, each with other figures. */
import { randomLcg } from "d3-random";
import type { Header, Traits } from "../src/wire/protocol.ts";
import { type Answer, clinic, FakeKernel, FakeModel, intervalsOf } from "./model.ts";

const WORDS = ["glucose", "Créatinine", "pulse", "sodium", "weight", "lactate", "Größe", "iron"];

export const LONG = "concentration of the measured quantity in the channel ";
/** Names that differ at their ends alone. */
export const alike = (at: number): string => `${LONG}${at + 1}`;

const kernel = new FakeKernel(clinic(200));

export function manyFeatures(
  count: number,
  overrides: Partial<Traits> = {},
  nameOf: ((at: number) => string) | null = null,
): FakeModel {
  const { header, impact, profile } = kernel;
  const [known, steps] = [header.features.length, header.decays.count];
  const { metrics } = header;
  const random = randomLcg(0.4);
  const features = Array.from({ length: count }, (_, at) => ({
    ...header.features[at % known]!,
    name: nameOf?.(at) ?? `${WORDS[at % known]} ${Math.floor(at / known) + 1}`,
  }));
  const impacts = new Float32Array(count * metrics.length);
  const profiles = new Float32Array(header.profiles.length * count * steps).fill(Number.NaN);
  // Apart, so that the bars are the same whatever the map shows.
  const apart = randomLcg(0.7);
  for (let at = 0; at < count; at++) {
    const factor = (0.05 + random()) ** 2;
    const tilt = random() - 0.5;
    const of = at % known;
    const own = Array.from(header.metrics, (_, z) => factor * impact[of * header.metrics.length + z]!);
    for (const metric of ["heterogeneity", "non_linearity"]) {
      own[header.metrics.indexOf(metric)]! *= 2 * apart() ** 2;
    }
    impacts.set(own, at * metrics.length);
    for (let step = 0; step < steps; step++) {
      const share = 1 + (tilt * (steps - step)) / steps;
      profiles[at * steps + step] = factor * share * profile[of * steps + step]!;
      profiles[(count + at) * steps + step] = profile[(known + of) * steps + step]!;
      profiles[(2 * count + at) * steps + step] = profiles[at * steps + step]!;
    }
  }
  const described: Header = { ...header, features };
  const traits = kernel.traits({
    feature: features[0]!.name,
    _header: described,
    _impact: impacts,
    _profile: profiles,
    _status: { state: "ready", done: count, total: count, label: "", message: "", n_rows: null, n_all: null },
    ...overrides,
  });
  const answer: Answer = (request) => {
    if (request.type === "intervals") {
      return { reply: { id: request.id, type: "result", body: intervalsOf(described, [impacts, profiles], request) } };
    }
    if (!("feature" in request)) return kernel.answer(request);
    const at = features.findIndex(({ name }) => name === request.feature);
    const answered = kernel.answer({ ...request, feature: header.features[at % known]!.name });
    if (request.type === "curves" && answered?.reply.type === "result")
      Object.assign(answered.reply.body as object, { feature: request.feature });
    return answered;
  };
  return new FakeModel(traits, answer);
}

/** The same while the kernel has finished only the first of them. */
export function someOfMany(count: number, done: number): FakeModel {
  const model = manyFeatures(count);
  const [metrics, steps] = [model.get("_header").metrics.length, model.get("_header").decays.count];
  const known = (table: Float32Array, size: number) =>
    table.map((value, z) => (Math.floor(z / size) % count < done ? value : Number.NaN));
  model.push("_impact", known(model.get("_impact") as Float32Array, metrics));
  model.push("_profile", known(model.get("_profile") as Float32Array, steps));
  const label = model.get("_header").features[done]?.name ?? "";
  model.push("_status", { state: "computing", done, total: count, label, message: "", n_rows: null, n_all: null });
  return model;
}
