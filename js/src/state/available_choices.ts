/** The choices for the open feature, and why others are not available. */

import { drawnKind } from "../text/values.ts";
import type { Client } from "../wire/client.ts";
import type { CurvesBody, Kind } from "../wire/protocol.ts";
import type { Store } from "./store.ts";

/** Null if a choice is available; a sentence if it is not; undefined if it does not exist. */
export type Offer = string | null | undefined;

export interface Offers {
  target: Offer;
  ale: Offer;
  unlike: Offer;
}

export interface Situation {
  curves: CurvesBody | null;
  kind: Kind;
  response: string;
  /** Whether requests of a type are answered; a saved page answers those that were switched on when it was saved. */
  answers: Client["answers"];
}

/** Scales on which no target is observed. */
const NO_TARGET: Record<string, string> = {
  log_odds: "The log-odds of a class cannot be observed.",
  decision_function: "The target is not on the scale of the decision function.",
};

const NO_EFFECT = "Only available for ICE and c-ICE, which have the unit of the prediction.";
const NOT_SAVED = "Not on this page: switch it on in the notebook before you save.";

export function offersOf({ curves, kind, response, answers }: Situation): Offers {
  const drawn = drawnKind(kind, curves?.kind ?? "numeric");
  const nothing = curves === null ? "Open a feature first." : null;
  return {
    target: curves === null ? undefined : targetOffer(curves, drawn, response),
    ale: nothing ?? (drawn === "d-ice" ? NO_EFFECT : answers("effects") ? null : NOT_SAVED),
    unlike: nothing ?? (answers("unlike") ? null : NOT_SAVED),
  };
}

/** Available choices for the open feature; none where all are on screen. */
export function offersIn({ loaded, kind, response, client, remembered }: Store): Offers {
  if (remembered.of("right").value === "all") return { target: undefined, ale: undefined, unlike: undefined };
  const curves = loaded.value?.curves ?? null;
  return offersOf({ curves, kind: kind.value, response: response.value, answers: client.answers });
}

/** Points of a target that was passed, on curves of predictions. */
const targetOffer = ({ target }: CurvesBody, drawn: Kind, response: string): Offer =>
  target === null || drawn !== "ice" ? undefined : (NO_TARGET[response] ?? null);
