/** The choices for the open feature, and why others are not available. */
import type { Client } from "../wire/client.ts";
import type { CurvesBody, Kind } from "../wire/protocol.ts";
import { drawnKind, hasLevels } from "../words/values.ts";
import { loadedOf, type Store } from "./store.ts";

/** Maximum number of rows with ticks; more could not be distinguished. */
const MOST_TICKS = 500;

/** Null if a choice is available; a sentence if it is not; undefined if it does not exist. */
export type Offer = string | null | undefined;

export interface Offers {
  shared_y: Offer;
  target: Offer;
  rug: Offer;
  partial_dependence: Offer;
  ale: Offer;
  m_plot: Offer;
  correlated: Offer;
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
  const onLevels = curves !== null && hasLevels(curves.kind) && drawn !== "d-ice";
  const nothing = curves === null ? "Open a feature first." : null;
  const effectOffer = drawn === "d-ice" ? NO_EFFECT : answers("effects") ? null : NOT_SAVED;
  return {
    shared_y: sharedOffer(drawn) ?? nothing,
    target: nothing ?? targetOffer(curves!, drawn, response),
    rug: nothing ?? rugOffer(curves!, onLevels),
    partial_dependence: nothing,
    ale: nothing ?? effectOffer,
    m_plot: nothing ?? effectOffer,
    correlated: nothing ?? (answers("correlated") ? null : NOT_SAVED),
    unlike: nothing ?? (answers("unlike") ? null : NOT_SAVED),
  };
}

/** The choices for many small plots, which apply to all features. */
export function offersOfAll(kind: Kind): Offers {
  const nothing = {
    target: undefined,
    rug: undefined,
    partial_dependence: undefined,
    ale: undefined,
    m_plot: undefined,
    correlated: undefined,
    unlike: undefined,
  };
  return { ...nothing, shared_y: sharedOffer(kind) };
}

const sharedOffer = (kind: Kind): Offer =>
  kind === "d-ice" ? "Slopes have different units, so a shared axis is not available." : null;

/** Available choices for the open feature. */
export function offersIn({ picture, kind, response, client }: Store): Offers {
  const curves = loadedOf(picture.value)?.curves ?? null;
  return offersOf({ curves, kind: kind.value, response: response.value, answers: client.answers });
}

function targetOffer({ target }: CurvesBody, drawn: Kind, response: string): Offer {
  if (target === null) return "Pass y to the explorer: ICEExplorer(model, X, y).";
  if (drawn !== "ice") return "Only available for ICE, which draws predictions.";
  return NO_TARGET[response] ?? null;
}

function rugOffer({ n_lines: nLines }: CurvesBody, onLevels: boolean): Offer {
  if (onLevels) return "Not available for levels: every row is already a dot.";
  return nLines > MOST_TICKS ? `Not available for more than ${MOST_TICKS} rows.` : null;
}
