/** What the kernel answers to a component. */
import { useLayoutEffect, useState } from "preact/hooks";
import { Cancelled, sentenceOf } from "../wire/client.ts";

export interface Reply<Body> {
  /** Null before the first reply, and after an error. */
  body: Body | null;
  /** Why there is none, as a sentence. */
  problem: string | null;
}

const NONE = { body: null, problem: null };

/**
 * The reply to the last of several requests: it is made again when `inputs` change, after `delayMs`, and the reply before
 * stays until the new one is there. Null requests nothing.
 */
export function useReply<Body>(
  request: (() => Promise<Body>) | null,
  inputs: readonly unknown[],
  delayMs = 0,
): Reply<Body> {
  const [reply, setReply] = useState<Reply<Body>>(NONE);
  useLayoutEffect(() => {
    if (request === null) return setReply(NONE);
    let isLast = true;
    const ask = (): void =>
      void request().then(
        (body) => isLast && setReply({ body, problem: null }),
        (error) => isLast && !(error instanceof Cancelled) && setReply({ body: null, problem: sentenceOf(error) }),
      );
    const timer = delayMs > 0 ? setTimeout(ask, delayMs) : ask();
    return () => {
      isLast = false;
      clearTimeout(timer ?? undefined);
    };
  }, inputs);
  return reply;
}
