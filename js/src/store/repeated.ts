/**
 * Work of the kernel that takes long: each reply has what is known after half a second, so requests are repeated until
 * everything is known. To cancel is to request no more; the kernel keeps what it has computed.
 */
import { type ReadonlySignal, signal } from "@preact/signals-core";
import { Cancelled, sentenceOf } from "../wire/client.ts";

export type Progress<Body> =
  | { state: "idle" | "computing"; body: Body | null }
  | { state: "ready"; body: Body }
  | { state: "error"; body: Body | null; message: string };

export class Repeated<Body> {
  readonly progress: ReadonlySignal<Progress<Body>>;
  readonly #progress = signal<Progress<Body>>({ state: "idle", body: null });
  #turn = 0;

  /** `ask` returns what is known, and whether that is everything. */
  constructor(private readonly ask: () => Promise<{ body: Body; isWhole: boolean }>) {
    this.progress = this.#progress;
  }

  /** Requests until everything is known, or until `stop`. */
  async start(): Promise<void> {
    const { state, body: known } = this.#progress.peek();
    if (state === "computing" || state === "ready") return;
    const turn = ++this.#turn;
    this.#progress.value = { state: "computing", body: known };
    try {
      for (let isWhole = false; !isWhole; ) {
        const answer = await this.ask();
        if (turn !== this.#turn) return;
        isWhole = answer.isWhole;
        this.#progress.value = { state: isWhole ? "ready" : "computing", body: answer.body };
      }
    } catch (error) {
      if (turn !== this.#turn) return;
      const { body } = this.#progress.peek();
      this.#progress.value =
        error instanceof Cancelled ? { state: "idle", body } : { state: "error", body, message: sentenceOf(error) };
    }
  }

  stop(): void {
    this.#turn++;
    const { state, body } = this.#progress.peek();
    if (state === "computing") this.#progress.value = { state: "idle", body };
  }
}
