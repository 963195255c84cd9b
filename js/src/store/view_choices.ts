/**
 * Choices about a view that no figure depends on. They are one trait, so that they survive another display and are part
 * of the state. Each view keeps its own filters once it is displayed.
 */
import type { AnyModel } from "@anywidget/types";
import { type ReadonlySignal, type Signal, signal } from "@preact/signals-core";
import { choicesOf } from "../wire/forms.ts";
import type { Traits, ViewChoices } from "../wire/protocol.ts";

export const DEFAULTS: Readonly<ViewChoices> = {
  left: "bars",
  right: "feature",
  pair: [],
  compared: [],
  coloring: "value",
  shared_y: false,
  target: false,
  classes: false,
  models: true,
  rug: "auto",
  partial_dependence: true,
  ale: false,
  m_plot: false,
  correlated: false,
  unlike: false,
  fade: "distance",
  filters: {},
};

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

export class Remembered {
  readonly #signals: { [K in keyof ViewChoices]: Signal<ViewChoices[K]> };

  constructor(private readonly model: AnyModel<Traits>) {
    const given = this.#now();
    const entries = Object.entries(given).map(([key, value]) => [key, signal(value)]);
    this.#signals = Object.fromEntries(entries);
    model.on("change:_view", this.#follow);
  }

  of<K extends keyof ViewChoices>(key: K): ReadonlySignal<ViewChoices[K]> {
    return this.#signals[key];
  }

  choose<K extends keyof ViewChoices>(key: K, value: ViewChoices[K]): void {
    this.#signals[key].value = value;
    this.model.set("_view", { ...choicesOf(this.model.get("_view")), [key]: value });
    this.model.save_changes();
  }

  /** Choices that differ from the defaults. */
  chosen(): Partial<ViewChoices> {
    const names = Object.keys(DEFAULTS) as (keyof ViewChoices)[];
    const entries = names.map((name) => [name, this.#signals[name].peek()] as const);
    return Object.fromEntries(entries.filter(([name, value]) => !isSame(value, DEFAULTS[name])));
  }

  dispose(): void {
    this.model.off("change:_view", this.#follow);
  }

  readonly #follow = (): void => {
    const now = this.#now();
    for (const key of Object.keys(DEFAULTS) as (keyof ViewChoices)[]) {
      if (key !== "filters") this.#adopt(key, now);
    }
  };

  #now(): ViewChoices {
    return { ...DEFAULTS, ...choicesOf(this.model.get("_view")) };
  }

  /** Keeps equal values, so that nothing is redrawn. */
  #adopt<K extends keyof ViewChoices>(key: K, now: ViewChoices): void {
    const mirror = this.#signals[key];
    if (!isSame(mirror.peek(), now[key])) mirror.value = now[key];
  }
}
