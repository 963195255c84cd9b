/** A kernel that has taken a sample of the rows: all features have figures with standard errors, some are exact. */
import { randomLcg, randomNormal } from "d3-random";
import type { Header, Traits } from "../src/wire/protocol.ts";
import { decodeImpact, decodeProfile } from "../src/wire/tables.ts";
import type { FakeModel } from "./model.ts";

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

/** A feature's figures are off by one factor, so that its bar keeps its parts. */
function offsOf(
  { features }: Header,
  { nRows, nExact = 0 }: Sample,
): { off: number; error: number; isExact: boolean }[] {
  const random = randomNormal.source(randomLcg(1 / nRows))(0, 1);
  return features.map((_, index) => {
    const error = (1.5 + (index % 3)) / Math.sqrt(nRows);
    const isExact = index < nExact;
    return { off: isExact ? 1 : Math.max(0.1, 1 + error * random()), error: isExact ? Number.NaN : error, isExact };
  });
}

/** What a kernel sends with a sample. */
export function sampled(exact: Exact, sample: Sample): Partial<Traits> {
  const { _header: header } = exact;
  const { metrics, profiles, decays, features } = header;
  const { nRows, nAll, nExact = 0 } = sample;
  const [impact, profile] = [decodeImpact(header, exact._impact), decodeProfile(header, exact._profile)];
  const offs = offsOf(header, sample);
  const figureOf = (name: string, index: number, get: (name: string) => number): number => {
    const { off, error } = offs[index]!;
    const ofError = name.endsWith("_error");
    const isRelative = name === "support";
    const value = get(ofError ? name.slice(0, -"_error".length) : name);
    return ofError ? error * Math.abs(value) : isRelative ? value : off * value;
  };
  const steps = Array.from({ length: decays.count }, (_, step) => decays.first + step * decays.step);
  return {
    _header: {
      ...header,
      features: features.map((head, index) => ({ ...head, n_rows: offs[index]!.isExact ? null : nRows })),
    },
    _impact: Float32Array.from(
      features.flatMap((_, at) => metrics.map((name) => figureOf(name, at, (of) => impact.get(at, of)))),
    ),
    _profile: Float32Array.from(
      profiles.flatMap((name) =>
        features.flatMap((_, at) => steps.map((decay) => figureOf(name, at, (of) => profile.get(of, at, decay)))),
      ),
    ),
    _status: {
      state: "computing",
      done: nExact,
      total: features.length,
      label: features[nExact]?.name ?? "",
      message: "",
      n_rows: nRows,
      n_all: nAll,
    },
  };
}

/** Sends all of it. */
export function send(model: FakeModel, traits: Partial<Traits>): void {
  for (const [name, value] of Object.entries(traits)) model.push(name as keyof Traits, value as never);
}

/** The model with a sample in place of its figures. */
export function drafted(model: FakeModel, sample: Sample): FakeModel {
  send(model, sampled(exactOf(model), sample));
  return model;
}

/** The same after a cancel. */
export function cancelledDraft(model: FakeModel, sample: Sample): FakeModel {
  drafted(model, sample);
  const { nRows, nAll, nExact = 0 } = sample;
  const { total } = model.get("_status");
  const write = (value: number) => value.toLocaleString("en-US");
  const message = `Cancelled: ${nExact} of ${total} features are exact, the others rest on a sample of ${write(nRows)} of ${write(nAll)} rows.`;
  model.push("_status", { ...model.get("_status"), state: "cancelled", label: "", message });
  return model;
}
