/** Curves and their colours that were requested before, by output, model, feature and number of lines. */
import type { ReadonlySignal } from "@preact/signals-core";
import { Cancelled, type Client, sentenceOf } from "../wire/client.ts";
import type { ColorsBody, CurvesBody, CurvesRequest } from "../wire/protocol.ts";
import { modelColors } from "./models.ts";
import { isTogether, type RuleScale, type Sides, type Split, splitColors } from "./two_sides.ts";

/** The number of features whose curves are kept, of each model. */
const KEPT_CURVES = 8;

export interface Coloring {
  colors: ColorsBody | null;
  /** Why the lines could not be coloured, as a sentence. */
  problem: string | null;
}

export class CurveCache {
  readonly #curves = new Map<string, CurvesBody>();
  readonly #asked = new Map<string, Promise<CurvesBody>>();
  readonly #colors = new WeakMap<CurvesBody, Map<string, ColorsBody>>();

  /**
   * `measured` identifies output and unit of distances; the curves of each have their own keys. `models` are the names of
   * several models. `nRowsOf` are the rows that a feature rests on.
   */
  constructor(
    private readonly client: Client,
    private readonly measured: ReadonlySignal<string>,
    private readonly models: ReadonlySignal<readonly string[]>,
    private readonly nRowsOf: (feature: string) => number | null,
  ) {}

  #keyOf({ feature, max_lines, model }: CurvesRequest): string {
    return JSON.stringify([this.measured.peek(), model ?? "", max_lines, feature, this.nRowsOf(feature)]);
  }

  /** Curves that were requested before and hold all of these rows. */
  known(request: CurvesRequest): CurvesBody | null {
    const curves = this.#curves.get(this.#keyOf(request));
    if (curves === undefined) return null;
    const drawn = new Set(curves.positions);
    return request.selection.every((position) => drawn.has(position)) ? curves : null;
  }

  /** Request curves; a request that is still open is not sent a second time. */
  request(request: CurvesRequest): Promise<CurvesBody> {
    const key = JSON.stringify([this.#keyOf(request), request.selection]);
    const asked = this.#asked.get(key) ?? this.#fetch(request);
    this.#asked.set(key, asked);
    const forget = () => this.#asked.delete(key);
    asked.then(forget, forget);
    return asked;
  }

  async #fetch(request: CurvesRequest): Promise<CurvesBody> {
    const key = this.#keyOf(request);
    const curves = await this.client.request(request);
    this.#curves.delete(key);
    this.#curves.set(key, curves);
    for (const oldest of this.#curves.keys()) {
      if (this.#curves.size <= KEPT_CURVES * Math.max(1, this.models.peek().length)) break;
      this.#curves.delete(oldest);
    }
    return curves;
  }

  /** The colours of some curves by a column, or by rules; the problem is a sentence. */
  async colors(curves: CurvesBody, column: string | null, split: Split): Promise<Coloring> {
    if (column === null && !isTogether(split)) return { colors: null, problem: null };
    const kept = this.#keptOf(curves);
    const key = JSON.stringify(
      isTogether(split)
        ? ["together", this.measured.peek(), split.feature]
        : [column, split === null || split === "median" ? split : split.rule],
    );
    const known = kept.get(key);
    if (known !== undefined) return { colors: known, problem: null };
    try {
      const colors = isTogether(split)
        ? await this.#askGroups(curves, split.feature)
        : await this.#columnColors(curves, column!, split, kept);
      kept.set(key, colors);
      return { colors, problem: null };
    } catch (error) {
      if (error instanceof Cancelled) throw error;
      return { colors: null, problem: sentenceOf(error) };
    }
  }

  /** The colours of the curves of these models, of which the first has `curves`. */
  modelColors(curves: CurvesBody, drawn: readonly number[]): ColorsBody {
    const kept = this.#keptOf(curves);
    const key = JSON.stringify(["models", drawn]);
    const colors = kept.get(key) ?? modelColors(this.models.peek(), drawn, curves);
    kept.set(key, colors);
    return colors;
  }

  #keptOf(curves: CurvesBody): Map<string, ColorsBody> {
    const kept = this.#colors.get(curves) ?? new Map<string, ColorsBody>();
    this.#colors.set(curves, kept);
    return kept;
  }

  async #columnColors(
    curves: CurvesBody,
    column: string,
    split: Sides | null,
    kept: Map<string, ColorsBody>,
  ): Promise<ColorsBody> {
    // Levels of a rule may be too rare to have a separate colour.
    const levels = split === null || split === "median" ? null : split.levels;
    const plain = JSON.stringify([column, null]);
    const whole = kept.get(plain);
    const asked = levels === null && whole !== undefined ? whole : await this.#askColors(curves, column, levels);
    if (levels === null) kept.set(plain, asked);
    return splitColors(asked, split);
  }

  async #askGroups(curves: CurvesBody, feature: string): Promise<ColorsBody> {
    const positions = Array.from(curves.positions);
    const { scale, values } = await this.client.request({ type: "groups", feature, positions });
    return { scale: { ...scale, rules: true } as RuleScale, values };
  }

  #askColors(curves: CurvesBody, column: string, levels: string[] | null): Promise<ColorsBody> {
    return this.client.request({ type: "colors", column, positions: Array.from(curves.positions), levels });
  }
}
