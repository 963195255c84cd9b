/**
 * Requests to the kernel, or to what a page has recorded of it: each gets an id and a promise that settles exactly once.
 *
 * A model may have several views, and every view receives every reply; replies to unknown ids belong to another view.
 */
import type { AnyModel } from "@anywidget/types";
import { type ReadonlySignal, signal } from "@preact/signals-core";
import { unpacked } from "./arrays.ts";
import type { Bodies, Bytes, Reply, Request } from "./protocol.ts";

export const RELOAD = "Restart the kernel and reload the page, so that both run the same version.";

/** The kernel replied with an error, or cannot reply. */
export class KernelError extends Error {
  override readonly name = "KernelError";
}

/** The request was cancelled, or its view was removed. */
export class Cancelled extends Error {
  override readonly name = "Cancelled";
}

/** The message of an error. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

export interface Client {
  /** Whether missing data can be computed. */
  readonly hasKernel: boolean;
  /** The largest number of curves per feature. */
  readonly mostLines: number;
  /** False from the loss of the connection until the next message of the kernel. */
  readonly alive: ReadonlySignal<boolean>;
  /** True while a reply is overdue and the kernel sends no messages at all. */
  readonly silent: ReadonlySignal<boolean>;
  /** Whether requests of an optional type are answered. */
  readonly answers: (type: OptionalRequest) => boolean;
  request<R extends Request>(request: R): Promise<Bodies[R["type"]]>;
  dispose(): void;
}

/** Requests whose replies a saved page may lack. */
export type OptionalRequest = "effects" | "correlated" | "unlike" | "intervals";

export const KERNEL_GONE =
  "The kernel that made this view has stopped. What is on screen stays usable. Run the cell again to compute more.";

/** Time limit of a request while the connection is lost, which may be temporary. */
const GRACE_MS = 4000;
/** A kernel without messages for this long is silent. Pages that keep widgets without a kernel drop all requests. */
const PATIENCE_MS = 10_000;

interface Pending {
  resolve(body: unknown): void;
  reject(error: Error): void;
  timer: ReturnType<typeof setTimeout> | undefined;
}

function isReply(message: unknown): message is Reply {
  return typeof message === "object" && message !== null && "id" in message && typeof message.id === "string";
}

/** The body of a reply; raises for all other replies. */
function bodyOf(reply: Reply, buffers: readonly Bytes[]): unknown {
  if (reply.type === "error") throw new KernelError(reply.message);
  if (reply.type === "cancelled") throw new Cancelled("The computation was cancelled.");
  try {
    return unpacked(reply.body, buffers);
  } catch (error) {
    throw new KernelError(`${sentenceOf(error)} ${RELOAD}`);
  }
}

/** What a model without a kernel holds. */
export type Holding = Pick<Client, "mostLines" | "answers">;

export class ModelClient implements Client {
  readonly hasKernel: boolean;
  readonly answers: Client["answers"];
  readonly mostLines: number;
  readonly #alive = signal(true);
  readonly #silent = signal(false);
  readonly #pending = new Map<string, Pending>();
  readonly #view = crypto.randomUUID?.() ?? Math.random().toString(36).slice(2);
  #count = 0;
  #disposed = false;
  #patience: ReturnType<typeof setTimeout> | undefined;

  constructor(
    private readonly model: AnyModel,
    page: Holding | null = null,
  ) {
    this.hasKernel = page === null;
    this.answers = page?.answers ?? (() => true);
    this.mostLines = page?.mostLines ?? Number.POSITIVE_INFINITY;
    model.on("msg:custom", this.#hear);
    model.on("comm_live_update", this.#lose);
    model.on("comm:close", this.#lose);
    model.on("change:_status", this.#live);
  }

  get alive(): ReadonlySignal<boolean> {
    return this.#alive;
  }

  get silent(): ReadonlySignal<boolean> {
    return this.#silent;
  }

  request<R extends Request>(request: R): Promise<Bodies[R["type"]]> {
    if (this.#disposed) return Promise.reject(new Cancelled("This view is closed."));
    const id = `${this.#view}-${this.#count++}`;
    return new Promise((resolve, reject) => {
      const timer = this.#alive.peek() ? undefined : setTimeout(() => this.#giveUp(id), GRACE_MS);
      this.#pending.set(id, { resolve: resolve as Pending["resolve"], reject, timer });
      this.#patience ??= setTimeout(() => this.#wonder(), PATIENCE_MS);
      try {
        this.model.send({ id, ...request });
      } catch {
        this.#lose();
      }
    });
  }

  dispose(): void {
    this.#disposed = true;
    this.model.off("msg:custom", this.#hear);
    this.model.off("comm_live_update", this.#lose);
    this.model.off("comm:close", this.#lose);
    this.model.off("change:_status", this.#live);
    this.#rejectAll(new Cancelled("This view is closed."));
    clearTimeout(this.#patience);
  }

  readonly #live = (): void => {
    this.#alive.value = true;
    this.#silent.value = false;
    clearTimeout(this.#patience);
    this.#patience = this.#pending.size === 0 ? undefined : setTimeout(() => this.#wonder(), PATIENCE_MS);
  };

  #wonder(): void {
    this.#silent.value = this.#pending.size > 0;
    this.#patience = undefined;
  }

  readonly #lose = (): void => {
    this.#alive.value = false;
    this.#rejectAll(new KernelError(KERNEL_GONE));
  };

  readonly #hear = (message: unknown, given: unknown): void => {
    if (!isReply(message)) return;
    const pending = this.#settle(message.id);
    if (pending === undefined) return;
    this.#live();
    try {
      pending.resolve(bodyOf(message, Array.isArray(given) ? (given as Bytes[]) : []));
    } catch (error) {
      pending.reject(error as Error);
    }
  };

  #settle(id: string): Pending | undefined {
    const pending = this.#pending.get(id);
    this.#pending.delete(id);
    clearTimeout(pending?.timer);
    return pending;
  }

  #giveUp(id: string): void {
    this.#settle(id)?.reject(new KernelError(KERNEL_GONE));
  }

  #rejectAll(error: Error): void {
    for (const id of [...this.#pending.keys()]) this.#settle(id)?.reject(error);
  }
}
