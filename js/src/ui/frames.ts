/** Drawing happens once per frame, however many signals changed in it. */
import { effect } from "@preact/signals-core";
import { drawDue } from "./components.tsx";

/** Drawing may request more drawing; `flush` stops after this many rounds. */
const MOST_ROUNDS = 5;

export class Frames {
  readonly #jobs = new Set<() => void>();
  #handle: number | null = null;

  request(job: () => void): void {
    this.#jobs.add(job);
    this.#handle ??= requestAnimationFrame(this.#run);
  }

  /** Runs all requested jobs now. */
  flush(): void {
    for (let round = 0; round < MOST_ROUNDS && this.#handle !== null; round++) {
      cancelAnimationFrame(this.#handle);
      this.#run();
    }
  }

  dispose(): void {
    this.#jobs.clear();
    if (this.#handle !== null) cancelAnimationFrame(this.#handle);
    this.#handle = null;
  }

  readonly #run = (): void => {
    this.#handle = null;
    drawDue(); // so that jobs measure a part that a component has just shown
    const jobs = [...this.#jobs];
    this.#jobs.clear();
    for (const job of jobs) job();
    drawDue(); // what the jobs have changed, in the same frame
  };

  /** Draws in the next frame whenever the signals that `read` reads change. Returns a function that stops it. */
  keep<T>(read: () => T, draw: (value: T) => void): () => void {
    let latest: T;
    let ended = false;
    const job = () => {
      if (!ended) draw(latest);
    };
    const stop = effect(() => {
      latest = read();
      this.request(job);
    });
    return () => {
      ended = true;
      stop();
    };
  }
}
