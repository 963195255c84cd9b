/**
 * Intervals of the bars over other samples of rows. The kernel draws the rows of as many features as half a second
 * takes, and the reply to the last request has all intervals.
 */
import type { ReadonlySignal } from "@preact/signals-core";
import type { Client } from "../wire/client.ts";
import type { Intervals, IntervalsRequest } from "../wire/protocol.ts";
import { Feed, type Progress, type Wanted } from "./feed.ts";

/** Delay after a change, such as the end of a drag, before intervals are requested. */
const PATIENCE_MS = 150;

/** What the bars show; the decay is part of the key only where the figures depend on it. */
export interface Shown extends Wanted, Omit<IntervalsRequest, "type"> {}

type LevelIntervals = Intervals & { level: number };

/** Intervals that are drawn or on their way; null where none are shown. */
export type Whiskers = Progress<LevelIntervals> | null;

/** `shown` is null while there is nothing to request, as during a drag. */
export const intervalsFeed = (client: Client, shown: ReadonlySignal<Shown | null>): Feed<Shown, LevelIntervals> =>
  new Feed(
    shown,
    async ({ key: _, ...request }) => {
      const { intervals, n_known, n_features } = await client.request({ type: "intervals", ...request });
      return { share: n_known / n_features, body: intervals && { level: request.level, ...intervals } };
    },
    { patience: PATIENCE_MS },
  );
