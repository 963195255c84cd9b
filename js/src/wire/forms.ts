/**
 * Checks of everything that the kernel sends, because pages and kernels may have different versions. The forms are those
 * of `wire/protocol.ts`; unknown entries are ignored.
 */
import type { Bodies, Bytes, Header, Status, Traits, ViewChoices } from "./protocol.ts";

/** The path of the first entry with an unexpected form: "" is the value itself; null if there is none. */
type Form = (value: unknown) => string | null;

const check =
  (isMet: (value: unknown) => boolean): Form =>
  (value) =>
    isMet(value) ? null : "";
const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Whether a value is a buffer, also of another frame, whose classes differ from those of this page. */
export const isBytes = (value: unknown): value is Bytes =>
  ArrayBuffer.isView(value) || Object.prototype.toString.call(value) === "[object ArrayBuffer]";

const text = check((value) => typeof value === "string");
const flag = check((value) => typeof value === "boolean");
const finite = check(Number.isFinite);
const count = check((value) => Number.isSafeInteger(value) && (value as number) >= 0);
const oneOf = (...words: readonly unknown[]): Form => check((value) => words.includes(value));
const anyOf =
  (...forms: readonly Form[]): Form =>
  (value) =>
    forms.some((form) => form(value) === null) ? null : "";
const orNull =
  (form: Form): Form =>
  (value) =>
    value === null ? null : form(value);

function firstOf(entries: Iterable<readonly [string, unknown, Form]>): string | null {
  for (const [place, value, form] of entries) {
    const found = form(value);
    if (found !== null) return `${place}${found}`;
  }
  return null;
}

const listOf =
  (form: Form, length?: number): Form =>
  (value) =>
    Array.isArray(value) && (length === undefined || value.length === length)
      ? firstOf(value.map((item, at) => [`[${at}]`, item, form] as const))
      : "";
const mapOf =
  (form: Form): Form =>
  (value) =>
    isObject(value) ? firstOf(Object.entries(value).map(([name, item]) => [`.${name}`, item, form] as const)) : "";
const record =
  (fields: Readonly<Record<string, Form>>): Form =>
  (value) =>
    isObject(value)
      ? firstOf(Object.entries(fields).map(([name, form]) => [`.${name}`, value[name], form] as const))
      : "";

const texts = listOf(text);
const counts = listOf(count);
const pair = listOf(finite, 2);
const featureKind = oneOf("numeric", "boolean", "category", "ordered", "group", "datetime", "timedelta");
const columnKind = oneOf("numeric", "boolean", "category", "ordered", "datetime", "timedelta", "other");

const LEVEL_COLORS = record({
  column: text,
  kind: oneOf("category"),
  ordered: flag,
  levels: texts,
  values: orNull(listOf(finite)),
  counts,
});

const DRIVER = record({
  column: text,
  share: finite,
  rule: text,
  n_rule: count,
  n_rest: count,
  threshold: orNull(finite),
  levels: orNull(texts),
  sides: listOf(text, 2),
});

const JOINT = { h2: finite, effect: finite };
const PAIR_AXIS = record({ feature: text, kind: featureKind, levels: orNull(texts), clock: listOf(pair) });

const BODIES: { readonly [K in keyof Bodies]: Form } = {
  curves: record({
    feature: text,
    kind: featureKind,
    levels: orNull(texts),
    missing: orNull(record({ count, mean: finite, spread: finite })),
    n_lines: count,
    n_grid: count,
    n_observations: count,
    offset: finite,
    prediction_range: pair,
    row_labels: orNull(texts),
    median: finite,
    clock: listOf(pair),
  }),
  classes: record({
    feature: text,
    kind: featureKind,
    outputs: texts,
    n_outputs: count,
    explained: count,
    n_lines: count,
    n_grid: count,
    offsets: listOf(finite),
  }),
  colors: anyOf(
    record({
      column: text,
      kind: oneOf("continuous"),
      of: columnKind,
      domain: pair,
      median: finite,
      levels: orNull(texts),
      clock: listOf(pair),
    }),
    LEVEL_COLORS,
  ),
  groups: LEVEL_COLORS,
  drivers: record({
    feature: text,
    lead: text,
    drivers: listOf(DRIVER),
    combined: record({ columns: texts, share: finite, rules: listOf(record({ rule: text, n_rows: count })) }),
    n_rows: count,
    n_curves: count,
  }),
  effects: record({ feature: text, n_grid: count, mean_prediction: finite }),
  correlated: record({
    feature: text,
    lead: text,
    items: listOf(
      record({ column: text, correlation: finite, measure: oneOf("spearman", "correlation_ratio", "cramers_v") }),
    ),
  }),
  unlike: record({ feature: text, n_grid: count, share: finite, summary: text }),
  intervals: record({ n_known: count, n_features: count, tied: listOf(listOf(count, 2)) }),
  interactions: record({
    n_rows: count,
    n_observations: count,
    done: count,
    total: count,
    features: listOf(record({ ...JOINT, feature: text })),
    pairs: listOf(record({ ...JOINT, first: text, second: text })),
    additivity: listOf(record({ feature: text, share: finite, low: finite, high: finite, verdict: text })),
  }),
  two_way: record({
    first: PAIR_AXIS,
    second: PAIR_AXIS,
    share_done: finite,
    n_rows: count,
    n_observations: count,
    offset: finite,
  }),
  rows: record({ columns: texts, n_outcomes: count, positions: counts, rows: listOf(texts) }),
  what_if: record({
    position: count,
    prediction: finite,
    features: listOf(
      record({
        feature: text,
        observed: text,
        moves: listOf(record({ distance: orNull(finite), place: finite, value: text, change: finite })),
      }),
    ),
  }),
  in_common: record({ items: listOf(record({ column: text, text, inside: finite, outside: finite })) }),
  extreme: record({ position: count }),
  export: record({ filename: text, mime: text, path: orNull(text) }),
  cancel: record({}),
  resume: record({}),
};

const distance = oneOf("marginal", "conditional", "custom");

const HEADER = record({
  version: text,
  features: listOf(
    record({
      name: text,
      kind: featureKind,
      n_grid: orNull(count),
      scale: orNull(finite),
      n_rows: orNull(count),
      range: orNull(pair),
    }),
  ),
  columns: listOf(record({ name: text, kind: columnKind })),
  metrics: texts,
  profiles: texts,
  decays: record({ first: finite, step: finite, count }),
  n_observations: count,
  method: text,
  method_reason: text,
  convention: oneOf("step", "paper"),
  prediction_sd: orNull(finite),
  output_label: text,
  target_name: text,
  outputs: texts,
  responses: texts,
  models: texts,
  distance,
  distances: listOf(distance),
  formats: listOf(record({ name: text, problem: orNull(text), holds_all: flag })),
  alerts: texts,
  notes: listOf(record({ feature: orNull(text), text })),
  code: text,
});

const CHOICES: { readonly [K in keyof ViewChoices]: Form } = {
  left: oneOf("bars", "interactions"),
  right: oneOf("feature", "all"),
  pair: anyOf(listOf(text, 0), listOf(text, 2)),
  compared: texts,
  coloring: oneOf("value", "median", "driver", "together"),
  shared_y: flag,
  target: flag,
  classes: flag,
  models: flag,
  rug: oneOf("auto", "off"),
  partial_dependence: flag,
  ale: flag,
  m_plot: flag,
  correlated: flag,
  unlike: flag,
  fade: oneOf("distance", "unlike"),
  filters: mapOf(record({ hidden: listOf(orNull(text)) })),
};

const NOTHING_YET: Status = {
  state: "computing",
  done: 0,
  total: 0,
  label: "",
  message: "",
  n_rows: null,
  n_all: null,
};

/** The form of each trait, and the value that replaces an unexpected one. */
const TRAITS: { readonly [K in keyof Traits]: readonly [Form, Traits[K]] } = {
  feature: [text, ""],
  color_by: [orNull(text), null],
  kind: [oneOf("ice", "c-ice", "d-ice"), "ice"],
  decay: [check((value) => Number.isFinite(value) && (value as number) > 0 && (value as number) <= 1), 0.75],
  rank_by: [
    oneOf("impact", "in_distribution_impact", "heterogeneity", "non_linearity", "missing_impact", "disagreement"),
    "in_distribution_impact",
  ],
  convention: [oneOf("step", "paper"), "step"],
  unit: [oneOf("prediction", "sd", "share"), "prediction"],
  ci: [orNull(check((value) => Number.isFinite(value) && (value as number) > 0 && (value as number) < 1)), null],
  anchor: [anyOf(finite, oneOf("min", "max", "median", "own")), "min"],
  max_lines: [check((value) => Number.isSafeInteger(value) && (value as number) > 0), 1000],
  selection: [counts, []],
  output: [text, ""],
  response: [text, ""],
  model: [text, ""],
  distance: [distance, "marginal"],
  _view: [check(isObject), {}],
  _given: [texts, []],
  _status: [
    record({
      state: oneOf("computing", "ready", "cancelled", "error"),
      done: count,
      total: count,
      label: text,
      message: text,
      n_rows: orNull(count),
      n_all: orNull(count),
    }),
    NOTHING_YET,
  ],
  _header: [check(isObject), {} as Header],
  _impact: [check(isBytes), new ArrayBuffer(0)],
  _profile: [check(isBytes), new ArrayBuffer(0)],
  _models_impact: [check(isBytes), new ArrayBuffer(0)],
  _models_profile: [check(isBytes), new ArrayBuffer(0)],
};

export const RELOAD = "Restart the kernel and reload the page, so that both run the same version.";

/** A message or a saved page has a form that this view cannot read. */
export class FormError extends Error {
  override readonly name = "FormError";

  constructor(what: string, place: string) {
    super(
      `This view cannot read ${what}${place === "" ? "" : `: its entry ${place.replace(/^\./, "")} has an unexpected form`}. ${RELOAD}`,
    );
  }
}

/** The value of a trait, or its replacement if it cannot be read. */
export function traitOf<K extends keyof Traits>(name: K, value: unknown): Traits[K] {
  const [form, instead] = TRAITS[name];
  return form(value) === null ? (value as Traits[K]) : instead;
}

/** The readable choices about the view. */
export function choicesOf(view: unknown): Partial<ViewChoices> {
  const entries = Object.entries(CHOICES).map(
    ([name, form]) => [name, form, traitOf("_view", view)[name as keyof ViewChoices]] as const,
  );
  return Object.fromEntries(
    entries.filter(([, form, value]) => form(value) === null).map(([name, , value]) => [name, value]),
  );
}

/** The body of a reply to a request of this type. */
export function bodyOf<K extends keyof Bodies>(type: K, body: unknown): Bodies[K] {
  const place = BODIES[type](body);
  if (place !== null) throw new FormError(`the kernel's reply to '${type}'`, place);
  return body as Bodies[K];
}

export function headerOf(header: unknown): Header {
  const place = HEADER(header);
  if (place !== null) throw new FormError("the features that the kernel sent", place);
  return header as Header;
}
