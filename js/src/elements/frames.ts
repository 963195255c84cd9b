/** Drawing happens once per frame, however many signals changed in it. */
import { effect } from "@preact/signals-core";

/** What is drawn may change what else is to be drawn, but not for ever. */
const MOST_ROUNDS = 5;

export class Frames {
  readonly #jobs = new Set<() => void>();
  #handle: number | null = null;

  request(job: () => void): void {
    this.#jobs.add(job);
    this.#handle ??= requestAnimationFrame(this.#run);
  }

  /** Draws all that has changed at once, for what cannot wait for a frame. */
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
    const jobs = [...this.#jobs];
    this.#jobs.clear();
    for (const job of jobs) job();
  };

  /** Keeps a part of the picture in step with what `read` depends on. Returns a function that ends it. */
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
