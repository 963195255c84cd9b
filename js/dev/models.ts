/** Kernels of several models of the same data, of which one is open. */
import { mean, range } from "d3-array";
import { isUnordered } from "../src/text/values.ts";
import type { Traits } from "../src/wire/protocol.ts";
import {
  type Answer,
  clinic,
  compute,
  type FakeData,
  FakeKernel,
  FakeModel,
  rentals,
  STEPS,
  standIns,
  viewOf,
} from "./model.ts";

type Predict = FakeData["predict"];

const MOST_GRID = 40;
/** Of many rows some are enough for a picture. */
const ENOUGH_ROWS = 100;

/** Mean distance of the changes that two models predict, by feature and decay: all features at all steps. */
function distances(data: FakeData, one: Predict, other: Predict): Float32Array {
  const all = data.features.map((feature, at) => {
    const [{ grid, scale, curves }, { curves: others }] = [one, other].map((predict) =>
      compute({ ...data, predict }, at, MOST_GRID),
    ) as [ReturnType<typeof compute>, ReturnType<typeof compute>];
    const own = standIns(feature);
    const rows = range(0, own.length, Math.max(1, Math.floor(own.length / ENOUGH_ROWS)));
    const areLevels = isUnordered(feature.kind ?? "numeric");
    const apart = rows.flatMap((row) => {
      const k = grid.length;
      const near = grid.reduce(
        (best, value, at) => (Math.abs(value - own[row]!) < Math.abs(grid[best]! - own[row]!) ? at : best),
        0,
      );
      const gap = (at: number) => curves[row * k + at]! - others[row * k + at]!;
      return Array.from(grid, (value, at) => ({
        size: Math.abs(gap(at) - gap(near)),
        far: areLevels ? Number(value !== own[row]) : Math.abs(value - own[row]!) / scale,
      }));
    });
    return Array.from({ length: STEPS.count }, (_, step) => {
      const decay = STEPS.first + step * STEPS.step;
      const weights = mean(apart, ({ far }) => decay ** far)!;
      return mean(apart, ({ size, far }) => size * decay ** far)! / weights;
    });
  });
  return Float32Array.from(all.flat());
}

const joined = (parts: readonly Float32Array[]): Float32Array => Float32Array.from(parts.flatMap((part) => [...part]));

export class FakeModels {
  readonly #names: string[];
  readonly #kernels: FakeKernel[];
  readonly #apart: { names: string[]; values: Float32Array };

  constructor(data: FakeData, models: Record<string, Predict>) {
    this.#names = Object.keys(models);
    this.#kernels = Object.values(models).map((predict) => new FakeKernel({ ...data, predict }));
    const pairs = this.#names.flatMap((_, a) => range(a + 1, this.#names.length).map((b): [number, number] => [a, b]));
    const each = pairs.map(([a, b]) => distances(data, Object.values(models)[a]!, Object.values(models)[b]!));
    const largest = each[0]!.map((_, at) => Math.max(...each.map((values) => values[at]!)));
    const isPair = pairs.length === 1;
    this.#apart = {
      names: ["disagreement", ...(isPair ? [] : pairs.map(([a, b]) => `disagreement_${a}_${b}`))],
      values: joined([largest, ...(isPair ? [] : each)]),
    };
  }

  #kernel(name: string | null | undefined): FakeKernel {
    return this.#kernels[this.#names.indexOf(name ?? "")] ?? this.#kernels[0]!;
  }

  /** What the kernel sends of the open model and of all models, by a way to count. */
  #sent(
    open: string,
    convention: Traits["convention"],
  ): Pick<Traits, "_header" | "_impact" | "_profile" | "_models_impact" | "_models_profile"> {
    const { header } = this.#kernel(open);
    const tables = this.#kernels.map((kernel) => kernel.tables(convention));
    const [impact, profile] = tables[Math.max(0, this.#names.indexOf(open))]!;
    return {
      _header: { ...header, convention, models: this.#names, profiles: [...header.profiles, ...this.#apart.names] },
      _impact: viewOf(impact),
      _profile: viewOf(joined([profile, this.#apart.values])),
      _models_impact: viewOf(joined(tables.map(([each]) => each))),
      _models_profile: viewOf(joined(tables.map(([, each]) => each))),
    };
  }

  model(overrides: Partial<Traits> = {}): FakeModel {
    const open = overrides.model ?? this.#names[0]!;
    const traits = this.#kernel(open).traits({ model: open, ...this.#sent(open, "step"), ...overrides });
    const answer: Answer = (request) => {
      const of = request.type === "curves" ? request.model : null;
      return this.#kernel(of ?? model.get("model")).answer(request);
    };
    const model = new FakeModel(traits, answer);
    model.recount = () => {
      const { _header, ...tables } = this.#sent(model.get("model"), model.get("convention"));
      for (const [name, table] of Object.entries(tables)) model.push(name as keyof typeof tables, table);
      model.push("_header", _header);
    };
    return model;
  }
}

/** A logistic model, trees that follow it in steps, and one that knows neither markers nor steps. */
export function clinicModels(n: number, names = ["logistic", "trees"]): FakeModels {
  const data = clinic(n);
  const step = (value: number, width: number) => Math.round(value / width) * width;
  const known: Predict[] = [
    data.predict,
    ([a, b, s, m, p, w, v, h], i) => {
      const [stepped, kept] = [[step(a!, 9), step(b!, 2.5), s!, m!, step(p!, 12), step(w!, 2500), v!, h!], 0.85];
      return 0.06 + kept * data.predict(stepped, i);
    },
    ([a, b, s, , p, , v, h], i) => data.predict([a!, 0.5 * b! + 13.5, s!, 1, p!, 8000, 2 * v!, h!], i),
    ([, b, s, m, , w, v, h], i) => data.predict([48, b!, s!, m!, 128, w!, v!, h!], i),
  ];
  return new FakeModels(data, Object.fromEntries(names.map((name, at) => [name, known[at]!])));
}

/** Every kind of column, with gaps. */
export function rentalModels(n: number): FakeModels {
  const data = rentals(n);
  const predict: Predict = (row, i) => 0.8 * data.predict(row, i) + 120;
  return new FakeModels(data, { forest: data.predict, "gradient boosting": predict });
}
