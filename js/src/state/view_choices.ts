/**
 * Choices about a view that no figure depends on. They are one trait, so that they survive another display and are part
 * of the state. Each view keeps its own filters once it is displayed.
 */
import type { AnyModel } from "@anywidget/types";
import { type ReadonlySignal, type Signal, signal } from "@preact/signals-core";
import { CHOICE_DEFAULTS, type Traits, type ViewChoices } from "../wire/protocol.ts";
import { traitOf } from "../wire/traits.ts";

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
    this.model.set("_view", { ...traitOf(this.model, "_view"), [key]: value });
    this.model.save_changes();
  }

  /** Choices that differ from the defaults. */
  chosen(): Partial<ViewChoices> {
    const names = Object.keys(CHOICE_DEFAULTS) as (keyof ViewChoices)[];
    const entries = names.map((name) => [name, this.#signals[name].peek()] as const);
    return Object.fromEntries(entries.filter(([name, value]) => !isSame(value, CHOICE_DEFAULTS[name])));
  }

  dispose(): void {
    this.model.off("change:_view", this.#follow);
  }

  readonly #follow = (): void => {
    const now = this.#now();
    for (const key of Object.keys(CHOICE_DEFAULTS) as (keyof ViewChoices)[]) {
      if (key !== "filters") this.#adopt(key, now);
    }
  };

  #now(): ViewChoices {
    return { ...CHOICE_DEFAULTS, ...traitOf(this.model, "_view") };
  }

  /** Keeps equal values, so that nothing is redrawn. */
  #adopt<K extends keyof ViewChoices>(key: K, now: ViewChoices): void {
    const mirror = this.#signals[key];
    if (!isSame(mirror.peek(), now[key])) mirror.value = now[key];
  }
}
