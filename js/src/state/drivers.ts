/** What explains the differences between the curves of the open feature. */
import type { CombinedBody, DriversBody, ViewChoices } from "../wire/protocol.ts";

/** Rules of two columns, and the feature whose curves they explain. */
export interface Together extends CombinedBody {
  feature: string;
}

/** Whether lines have the colours of a rule, or of several. */
export const isOfDrivers = (coloring: ViewChoices["coloring"]): boolean =>
  coloring === "driver" || coloring === "together";

/** The splits that are known, best first. */
export const splitsOf = (body: DriversBody | null): DriversBody["drivers"] => body?.drivers ?? [];

/** The rules of two columns together; null where these explain no more than one. */
export const togetherOf = (body: DriversBody | null): Together | null =>
  body === null || body.combined.columns.length === 0 ? null : { feature: body.feature, ...body.combined };
