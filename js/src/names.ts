/** What readers call things that travel under the names of `explain`. */

const RESPONSES: Record<string, string> = {
  predict_proba: "probability",
  decision_function: "score (decision function)",
  predict: "prediction",
  log_odds: "log-odds",
};

/** A response as a reader meets it; one that is not known here keeps its name. */
export function responseName(response: string): string {
  return RESPONSES[response] ?? response;
}
