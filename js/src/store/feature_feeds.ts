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
  const showingWith = (...choices: ("ale" | "unlike")[]) =>
    computed(() => (choices.some((choice) => remembered.of(choice).value) ? showing.value : null));
  const [withEffects, withUnlike] = [showingWith("ale"), showingWith("unlike")];
  return {
    drivers: featureFeed(showing, ({ feature }) => client.request({ type: "drivers", feature })),
    effects: featureFeed(
      computed(() => (hasSlopes.value ? null : withEffects.value)),
      ({ feature }) => client.request({ type: "effects", feature }),
    ),
    correlated: featureFeed(
      computed(() => (canCorrelate.value || remembered.of("correlated").value ? showing.value : null)),
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
