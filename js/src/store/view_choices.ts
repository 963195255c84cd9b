/**
 * Choices about a view that no figure depends on. They are one trait, so that they survive another display and are part
 * of the state; the choices in `OWN` are separate in each view once it is displayed.
 */
import type { AnyModel } from "@anywidget/types";
import { effect, type ReadonlySignal, type Signal, signal } from "@preact/signals-core";
import { choicesOf } from "../wire/forms.ts";
import type { Traits, ViewChoices } from "../wire/protocol.ts";

export const DEFAULTS: Readonly<ViewChoices> = {
  left: "bars",
  map_y: "non_linearity",
  right: "feature",
  pair: [],
  compared: [],
  coloring: "value",
  lines_as: "auto",
  shared_y: false,
  target: false,
  classes: false,
  models: true,
  rug: "auto",
  full_slopes: false,
  every_step: false,
  partial_dependence: true,
  ale: false,
  m_plot: false,
  correlated: false,
  unlike: false,
  fade: "distance",
  zoom: {},
  filters: {},
  palette: "default",
};

/** Choices that each view keeps separately once displayed, such as zoom and filters. */
const OWN: ReadonlySet<keyof ViewChoices> = new Set<keyof ViewChoices>(["zoom", "filters"]);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

export class Remembered {
  readonly #signals: { [K in keyof ViewChoices]: Signal<ViewChoices[K]> };
  readonly #unfollow: () => void;

  /** `usual` are the user's settings, which override the defaults and are overridden by choices. */
  constructor(
    private readonly model: AnyModel<Traits>,
    private readonly usual: ReadonlySignal<Partial<ViewChoices>> = signal({}),
  ) {
    const given = this.#now();
    const entries = Object.entries(given).map(([key, value]) => [key, signal(value)]);
    this.#signals = Object.fromEntries(entries);
    model.on("change:_view", this.#follow);
    this.#unfollow = effect(() => this.#follow());
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
    this.#unfollow();
    this.model.off("change:_view", this.#follow);
  }

  readonly #follow = (): void => {
    const now = this.#now();
    for (const key of Object.keys(DEFAULTS) as (keyof ViewChoices)[]) {
      if (!OWN.has(key)) this.#adopt(key, now);
    }
  };

  #now(): ViewChoices {
    return { ...DEFAULTS, ...this.usual.value, ...choicesOf(this.model.get("_view")) };
  }

  /** Keeps equal values, so that nothing is redrawn. */
  #adopt<K extends keyof ViewChoices>(key: K, now: ViewChoices): void {
    const mirror = this.#signals[key];
    if (!isSame(mirror.peek(), now[key])) mirror.value = now[key];
  }
}
