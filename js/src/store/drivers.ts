/** What explains the differences between the curves of the open feature. */
import type { ReadonlySignal } from "@preact/signals-core";
import type { Client } from "../wire/client.ts";
import type { CombinedBody, DriversBody, ViewChoices } from "../wire/protocol.ts";
import { FeatureFeed, type Found, type Showing } from "./feature_feed.ts";

export type Drivers = Found<{ body: DriversBody }>;

/** Rules of two columns, and the feature whose curves they explain. */
export interface Together extends CombinedBody {
  feature: string;
}

const bodyOf = (drivers: Drivers | null): DriversBody | null =>
  drivers === null || "problem" in drivers ? null : drivers.body;

/** Whether lines have the colours of a rule, or of several. */
export const isOfDrivers = (coloring: ViewChoices["coloring"]): boolean =>
  coloring === "driver" || coloring === "together";

/** The splits that are known, best first. */
export const splitsOf = (drivers: Drivers | null): DriversBody["drivers"] => bodyOf(drivers)?.drivers ?? [];

/** The rules of two columns together; null where these explain no more than one. */
export function togetherOf(drivers: Drivers | null): Together | null {
  const body = bodyOf(drivers);
  return body === null || body.combined.columns.length === 0 ? null : { feature: body.feature, ...body.combined };
}

export const driversFeed = (
  client: Client,
  showing: ReadonlySignal<Showing | null>,
): FeatureFeed<{ body: DriversBody }> =>
  new FeatureFeed(async ({ feature }) => {
    const { body } = await client.request({ type: "drivers", feature });
    return { body };
  }, showing);
