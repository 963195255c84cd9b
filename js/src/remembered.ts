/**
 * What a reader chose about a view and no figure depends on. It is one trait of the document, so that it survives
 * another display, and may be asked for as state; a view that shows already goes its own way where `Followed` says no.
 */
import type { AnyModel } from "@anywidget/types";
import { type ReadonlySignal, type Signal, signal } from "@preact/signals-core";
import type { Traits, ViewChoices } from "./protocol.ts";

export const DEFAULTS: Readonly<ViewChoices> = {
  left: "bars",
  right: "feature",
  compared: [],
  coloring: "value",
  lines_as: "auto",
  shared_y: false,
  target: false,
  classes: false,
  rug: "auto",
  full_slopes: false,
  zoom: {},
  filters: {},
};

/** Choices of which every view keeps its own once it shows: two views are zoomed, and filtered, apart. */
const OWN: ReadonlySet<keyof ViewChoices> = new Set<keyof ViewChoices>(["zoom", "filters"]);

export class Remembered {
  readonly #signals: { [K in keyof ViewChoices]: Signal<ViewChoices[K]> };

  constructor(private readonly model: AnyModel<Traits>) {
    const given = { ...DEFAULTS, ...model.get("_view") };
    const entries = Object.entries(given).map(([key, value]) => [key, signal(value)]);
    this.#signals = Object.fromEntries(entries);
    model.on("change:_view", this.#follow);
  }

  of<K extends keyof ViewChoices>(key: K): ReadonlySignal<ViewChoices[K]> {
    return this.#signals[key];
  }

  choose<K extends keyof ViewChoices>(key: K, value: ViewChoices[K]): void {
    this.#signals[key].value = value;
    this.model.set("_view", { ...this.model.get("_view"), [key]: value });
    this.model.save_changes();
  }

  dispose(): void {
    this.model.off("change:_view", this.#follow);
  }

  readonly #follow = (): void => {
    const now = { ...DEFAULTS, ...this.model.get("_view") };
    for (const key of Object.keys(DEFAULTS) as (keyof ViewChoices)[]) {
      if (!OWN.has(key)) this.#adopt(key, now);
    }
  };

  /** What says the same stays the same, so that nothing is drawn for it. */
  #adopt<K extends keyof ViewChoices>(key: K, now: ViewChoices): void {
    const mirror = this.#signals[key];
    if (JSON.stringify(mirror.peek()) !== JSON.stringify(now[key])) mirror.value = now[key];
  }
}
