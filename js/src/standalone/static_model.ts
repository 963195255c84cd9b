/** A model without Jupyter: traits in a plain object, changed by the page alone. */
import type { AnyModel } from "@anywidget/types";
import type { Refusal, Traits } from "../wire/protocol.ts";

type Listener = (...values: never[]) => void;

export class StaticModel implements AnyModel<Traits> {
  readonly widget_manager = {
    get_model: () => Promise.reject(new Error("There are no other models on this page.")),
  } as AnyModel["widget_manager"];
  readonly #traits: Traits;
  readonly #listeners = new Map<string, Set<Listener>>();

  /** `saved` is called where a widget would send its changes to the kernel. */
  constructor(
    traits: Traits,
    private readonly saved: (model: StaticModel) => void = () => {},
  ) {
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

  /** Restores traits and reports the reason, as a kernel does. */
  refuse(traits: Partial<Traits>, message: string): void {
    for (const key of Object.keys(traits) as (keyof Traits)[]) this.set(key, traits[key]!);
    const refusal: Refusal = { type: "refused", message };
    this.#emit("msg:custom", refusal);
  }

  save_changes(): void {
    this.saved(this);
  }

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
