/** What the kernel computes about the open feature besides its curves. */
import { computed, type ReadonlySignal } from "@preact/signals-core";
import type { Client } from "../wire/client.ts";
import { featureFeed, type Showing } from "./feed.ts";
import type { Unlike } from "./unlike.ts";
import type { Remembered } from "./view_choices.ts";

/** The feature on screen, and what its curves are drawn as. */
interface Drawn {
  showing: ReadonlySignal<Showing | null>;
  hasSlopes: ReadonlySignal<boolean>;
  /** Identifies the curves, with their rows. */
  drawn: ReadonlySignal<number | null>;
  /** Whether correlations with all columns are computed at once. */
  canCorrelate: ReadonlySignal<boolean>;
}

/** Drivers always, correlations where they are quick, the rest while it is switched on. */
export function featureFeeds(
  client: Client,
  remembered: Remembered,
  { showing, hasSlopes, drawn, canCorrelate }: Drawn,
) {
  const showingIf = (isWanted: () => boolean) => computed(() => (isWanted() ? showing.value : null));
  const withUnlike = showingIf(() => remembered.of("fade").value === "unlike" && client.answers("unlike"));
  return {
    drivers: featureFeed(showing, ({ feature }) => client.request({ type: "drivers", feature })),
    effects: featureFeed(
      showingIf(() => remembered.of("ale").value && !hasSlopes.value),
      ({ feature }) => client.request({ type: "effects", feature }),
    ),
    correlated: featureFeed(
      showingIf(() => canCorrelate.value),
      ({ feature }) => client.request({ type: "correlated", feature }),
    ),
    unlike: featureFeed(
      computed(() => withUnlike.value && { ...withUnlike.value, version: drawn.value }),
      async ({ feature, positions }): Promise<Unlike> => {
        const body = await client.request({ type: "unlike", feature, positions: Array.from(positions) });
        return { ...body, positions };
      },
    ),
  };
}
