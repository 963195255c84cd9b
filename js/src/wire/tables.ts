/** The two tables of figures that come as traits, which the header describes. */
import { copyOf } from "./arrays.ts";
import type { Bytes, DecaySteps, Header } from "./protocol.ts";

/** Metrics that do not change with the decay, one row per feature; NaN until they are known. */
export class ImpactTable {
  constructor(
    private readonly metrics: readonly string[],
    private readonly values: Float32Array,
  ) {}

  get(feature: number, metric: string): number {
    const column = this.metrics.indexOf(metric);
    if (column === -1) return Number.NaN;
    return this.values[feature * this.metrics.length + column] ?? Number.NaN;
  }
}

/** Figures of every feature at every step of the decay, by name. */
export class DecayProfile {
  constructor(
    private readonly names: readonly string[],
    private readonly nFeatures: number,
    private readonly steps: DecaySteps,
    private readonly values: Float32Array,
  ) {}

  /** The index of this decay among the steps; a fraction between two steps. */
  private place(decay: number): number {
    const place = (decay - this.steps.first) / this.steps.step;
    const whole = Math.round(place);
    return Math.abs(place - whole) < 1e-6 ? whole : place;
  }

  /** Whether figures at this decay are not in the table itself, but estimated from its neighbours. */
  estimated(decay: number): boolean {
    const place = this.place(decay);
    return !Number.isInteger(place) || place < 0 || place >= this.steps.count;
  }

  private read(block: number, feature: number, decay: number): number {
    const row = (block * this.nFeatures + feature) * this.steps.count;
    const place = Math.min(Math.max(this.place(decay), 0), this.steps.count - 1);
    const left = Math.floor(place);
    const at = (step: number) => this.values[row + step] ?? Number.NaN;
    return place === left ? at(left) : at(left) + (place - left) * (at(left + 1) - at(left));
  }

  /** The largest figure of any feature at any decay; 0 where none is known. */
  largest(name: string): number {
    const block = this.names.indexOf(name);
    const size = this.nFeatures * this.steps.count;
    const values = this.values.subarray(block * size, (block + 1) * size);
    return block === -1 ? 0 : values.reduce((most, value) => (value > most ? value : most), 0);
  }

  /** Whether any figure of a feature is known. */
  knows(feature: number): boolean {
    return this.names.some((_, block) => Number.isFinite(this.read(block, feature, 1)));
  }

  get(name: string, feature: number, decay: number): number {
    const block = this.names.indexOf(name);
    return block === -1 ? Number.NaN : this.read(block, feature, decay);
  }
}

/** The header of the kernel and its two tables of figures. */
export interface Figures {
  header: Header;
  impact: ImpactTable;
  profile: DecayProfile;
}

const numbers = (bytes: Bytes): Float32Array => new Float32Array(copyOf(bytes));

export const decodeImpact = ({ metrics }: Header, bytes: Bytes): ImpactTable =>
  new ImpactTable(metrics, numbers(bytes));

export const decodeProfile = ({ profiles, features, decays }: Header, bytes: Bytes): DecayProfile =>
  new DecayProfile(profiles, features.length, decays, numbers(bytes));

/** The two tables of one of several models. */
export type ModelTables = Pick<Figures, "impact" | "profile">;

/** The tables of each model, which have no disagreement; none with one model. */
export function decodeModels(header: Header, impact: Bytes, profile: Bytes): ModelTables[] {
  const { models, features, metrics, profiles, decays } = header;
  const names = profiles.filter((name) => !name.startsWith("disagreement"));
  const [ofImpact, ofProfile] = [features.length * metrics.length, names.length * features.length * decays.count];
  const [impacts, all] = [numbers(impact), numbers(profile)];
  return models.map((_, at) => ({
    impact: new ImpactTable(metrics, impacts.subarray(at * ofImpact, (at + 1) * ofImpact)),
    profile: new DecayProfile(names, features.length, decays, all.subarray(at * ofProfile, (at + 1) * ofProfile)),
  }));
}
