/** Requests of which only the last one counts. */
import { atEnd } from "../../ui/lifetime.ts";

export class LastRequest {
  #turn = 0;

  constructor(aborted: AbortSignal) {
    atEnd(aborted, () => this.drop());
  }

  /** Ignores the answer to the last request, too. */
  drop(): void {
    this.#turn++;
  }

  /** Passes the answer to `done`, or the error to `fail`, unless another request was made meanwhile. */
  async make<T>(request: Promise<T>, done: (answer: T) => void, fail: (error: unknown) => void): Promise<void> {
    const turn = ++this.#turn;
    try {
      const answer = await request;
      if (turn === this.#turn) done(answer);
    } catch (error) {
      if (turn === this.#turn) fail(error);
    }
  }
}
