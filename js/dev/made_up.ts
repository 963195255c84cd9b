/** What no fixture has: thousands of features or rows, samples, and replies that hardly any data would lead to. */
import { randomLcg, randomNormal } from "d3-random";
import type { CurvesBody, DriversBody, Header, Status, Traits } from "../src/wire/protocol.ts";
import { decodeImpact, decodeProfile } from "../src/wire/tables.ts";
import { clinic } from "./explorers.ts";
import { type Answer, FakeModel, firstFeatures, type RecordedKernel, takeRows } from "./recorded.ts";

const WORDS = ["glucose", "Créatinine", "pulse", "sodium", "weight", "lactate", "Größe", "iron"];

export const LONG = "concentration of the measured quantity in the channel ";
/** Names that differ at their ends alone. */
export const alike = (at: number): string => `${LONG}${at + 1}`;

// --- as many features as wanted ---------------------------------------------------------------------

/** The features of an explorer over and over, each with other figures. */
export function manyFeatures(
  count: number,
  overrides: Partial<Traits> = {},
  nameOf: ((at: number) => string) | null = null,
  kernel = clinic,
): FakeModel {
  const { header, impact, profile } = kernel;
  const { metrics, features: known, decays } = header;
  const features = Array.from({ length: count }, (_, at) => ({
    ...known[at % known.length]!,
    name: nameOf?.(at) ?? `${WORDS[at % known.length]} ${Math.floor(at / known.length) + 1}`,
  }));
  const impacts = new Float32Array(count * metrics.length);
  const profiles = new Float32Array(header.profiles.length * count * decays.count).fill(Number.NaN);
  const [random, randomOfBars] = [randomLcg(0.4), randomLcg(0.7)];
  for (let at = 0; at < count; at++) {
    const [factor, tilt, from] = [(0.05 + random()) ** 2, random() - 0.5, at % known.length];
    for (const [z, metric] of metrics.entries()) {
      const isOther = metric === "heterogeneity" || metric === "non_linearity";
      const value = factor * impact[from * metrics.length + z]!;
      impacts[at * metrics.length + z] = isOther ? value * 2 * randomOfBars() ** 2 : value;
    }
    for (let step = 0; step < decays.count; step++) {
      const [into, source] = [at * decays.count + step, from * decays.count + step];
      profiles[into] = factor * (1 + (tilt * (decays.count - step)) / decays.count) * profile[source]!;
      profiles[count * decays.count + into] = profile[known.length * decays.count + source]!;
    }
  }
  const described: Header = { ...header, features, notes: [] };
  const answer: Answer = (request) => {
    if (!("feature" in request)) return kernel.answer(request);
    const at = features.findIndex(({ name }) => name === request.feature);
    const answered = kernel.answer({ ...request, feature: known[at % known.length]!.name });
    if (request.type === "curves" && answered?.reply.type === "result")
      answered.reply.body = { ...(answered.reply.body as CurvesBody), feature: request.feature };
    return answered;
  };
  const traits = kernel.traits({
    feature: features[0]!.name,
    _header: described,
    _impact: impacts,
    _profile: profiles,
    _status: statusOf({ state: "ready", done: count, total: count }),
    ...overrides,
  });
  return new FakeModel(traits, answer);
}

export const statusOf = (status: Partial<Status>): Status => ({
  ...{ state: "computing", done: 0, total: 8, label: "", message: "", n_rows: null, n_all: null },
  ...status,
});

/** The same while the kernel has finished only the first of them. */
export function someOfMany(count: number, done: number): FakeModel {
  const model = manyFeatures(count);
  const [impact, profile] = [model.get("_impact"), model.get("_profile")] as [Float32Array, Float32Array];
  model.pushAll(firstFeatures(model.get("_header"), impact, profile, done));
  return model;
}

// --- as many rows as wanted -------------------------------------------------------------------------

/** An explorer that has every row several times. */
export function repeated(kernel: RecordedKernel, times: number, overrides: Partial<Traits> = {}): FakeModel {
  const n = kernel.header.n_observations;
  const rows = Array.from({ length: times * n }, (_, row) => row % n);
  const _header = { ...kernel.header, n_observations: rows.length };
  const model = kernel.model({ max_lines: rows.length, _header, ...overrides });
  const { answer } = model;
  model.answer = (request) => {
    if ("positions" in request) return answer({ ...request, positions: request.positions.map((row) => row % n) });
    if (request.type !== "curves") return answer(request);
    const body = takeRows(kernel.curves(request.feature), rows, n) as CurvesBody;
    const positions = Uint32Array.from(rows.keys());
    const whole = { ...body, positions, n_lines: rows.length, n_observations: rows.length };
    return { reply: { id: request.id, type: "result", body: whole } };
  };
  return model;
}

// --- samples ----------------------------------------------------------------------------------------

/** The figures of all rows, from which those of samples are made. */
type Exact = Pick<Traits, "_header" | "_impact" | "_profile">;

export interface Sample {
  nRows: number;
  nAll: number;
  /** How many features are exact, in column order. */
  nExact?: number;
}

export const exactOf = (model: FakeModel): Exact => ({
  _header: model.get("_header"),
  _impact: model.get("_impact"),
  _profile: model.get("_profile"),
});

/** What a kernel sends with a sample: the figures of a feature are off by one factor, so that its bar keeps its parts. */
export function sampled({ _header: header, ...tables }: Exact, { nRows, nAll, nExact = 0 }: Sample): Partial<Traits> {
  const { metrics, profiles, decays, features } = header;
  const [impact, profile] = [decodeImpact(header, tables._impact), decodeProfile(header, tables._profile)];
  const random = randomNormal.source(randomLcg(1 / nRows))(0, 1);
  const errors = features.map((_, at) => (1.5 + (at % 3)) / Math.sqrt(nRows));
  const factors = errors.map((error) => Math.max(0.1, 1 + error * random()));
  const figureOf = (name: string, at: number, get: (name: string) => number): number => {
    const isExact = at < nExact;
    if (name.endsWith("_error"))
      return isExact ? Number.NaN : errors[at]! * Math.abs(get(name.slice(0, -"_error".length)));
    return get(name) * (isExact || name === "support" ? 1 : factors[at]!);
  };
  const steps = Array.from({ length: decays.count }, (_, step) => decays.first + step * decays.step);
  return {
    _header: {
      ...header,
      features: features.map((head, at) => ({ ...head, n_rows: at < nExact ? null : nRows })),
    },
    _impact: Float32Array.from(
      features.flatMap((_, at) => metrics.map((name) => figureOf(name, at, (of) => impact.get(at, of)))),
    ),
    _profile: Float32Array.from(
      profiles.flatMap((name) =>
        features.flatMap((_, at) => steps.map((decay) => figureOf(name, at, (of) => profile.get(of, at, decay)))),
      ),
    ),
    _status: statusOf({
      ...{ done: nExact, total: features.length, label: features[nExact]?.name ?? "" },
      ...{ n_rows: nRows, n_all: nAll },
    }),
  };
}

/** The model with a sample in place of its figures. */
export function drafted(model: FakeModel, sample: Sample): FakeModel {
  model.pushAll(sampled(exactOf(model), sample));
  return model;
}

/** The same after a cancel. */
export function cancelledDraft(model: FakeModel, sample: Sample): FakeModel {
  drafted(model, sample);
  const [nRows, nAll] = [sample.nRows, sample.nAll].map((value) => value.toLocaleString("en-US"));
  const { done, total } = model.get("_status");
  const message = `Cancelled: ${done} of ${total} features are exact, the others rest on a sample of ${nRows} of ${nAll} rows.`;
  model.push("_status", { ...model.get("_status"), state: "cancelled", label: "", message });
  return model;
}

// --- replies ----------------------------------------------------------------------------------------

/** No single column explains anything. */
export const noColumn = (feature: string): DriversBody => ({
  feature,
  lead: "Curves differ (63 % of their variance). No single column explains the differences.",
  sentence: [],
  drivers: [],
  n_rows: 300,
  n_curves: 300,
});
