/** A model without Jupyter: traits in a plain object, changed by the page alone. */
import type { AnyModel } from "@anywidget/types";
import type { Traits } from "../wire/protocol.ts";

type Listener = (...values: never[]) => void;

export class StaticModel implements AnyModel<Traits> {
  readonly widget_manager = {
    get_model: () => Promise.reject(new Error("There are no other models on this page.")),
  } as AnyModel["widget_manager"];
  readonly #traits: Traits;
  readonly #listeners = new Map<string, Set<Listener>>();

  constructor(traits: Traits) {
    this.#traits = { ...traits };
  }

  get<K extends keyof Traits>(key: K): Traits[K] {
    return this.#traits[key];
  }

  set<K extends keyof Traits>(key: K, value: Traits[K]): void {
    if (Object.is(this.#traits[key], value)) return;
    this.#traits[key] = value;
    this.#emit(`change:${key}`);
  }

  save_changes(): void {}

  on(name: string, listener: Listener): void {
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
  }

  off(name?: string | null, listener?: Listener | null): void {
    if (name != null && listener != null) this.#listeners.get(name)?.delete(listener);
  }

  #emit(name: string, ...values: unknown[]): void {
    for (const listener of [...(this.#listeners.get(name) ?? [])]) listener(...(values as never[]));
  }

  send(): void {
    throw new Error("This page has no kernel.");
  }
}
