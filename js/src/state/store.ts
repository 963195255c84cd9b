/**
 * The state that panels share. Document state mirrors the model's traits in both directions; view state (hover, the
 * drag in progress, hidden levels) belongs to this view alone.
 */
import type { AnyModel } from "@anywidget/types";
import { batch, computed, effect, type ReadonlySignal, type Signal, signal, untracked } from "@preact/signals-core";
import { explanation } from "../text/glossary.ts";
import { partings, withTargetName } from "../text/names.ts";
import { drawnKind } from "../text/values.ts";
import { type Client, RELOAD, sentenceOf } from "../wire/client.ts";
import {
  type Anchor,
  type ColorScale,
  type ColorsBody,
  type Convention,
  type CorrelatedBody,
  type CurvesBody,
  type CurvesRequest,
  type Distance,
  DOCUMENT_DEFAULTS,
  type DocumentState,
  type DriversBody,
  type EffectsBody,
  type Extreme,
  type Header,
  type InCommonBody,
  type Kind,
  PROTOCOL_VERSION,
  type PublicTraits,
  type RankBy,
  type Refusal,
  type RowsBody,
  type RowsRequest,
  type Status,
  type Traits,
  type Unit,
  type ViewChoices,
} from "../wire/protocol.ts";
import { decodeImpact, decodeModels, decodeProfile, type Figures, type ModelTables } from "../wire/tables.ts";
import { isOurs, traitOf } from "../wire/traits.ts";
import { type Coloring, CurveCache } from "./curve_cache.ts";
import { featureFeeds } from "./feature_feeds.ts";
import type { Progress, Showing } from "./feed.ts";
import { type Filter, type Hidden, hiddenBy, onlyLevel, toggledLevel } from "./filters.ts";
import { intervalsFeed, type Shown, type Whiskers } from "./intervals.ts";
import { Joint, type Pair } from "./joint.ts";
import { haveSameRows, type OfModel } from "./models.ts";
import { isKnown, type RankedFeature, rankFeatures } from "./ranking.ts";
import { Reading } from "./reading.ts";
import type { Settings } from "./settings.ts";
import { SteadyOrder } from "./steady_order.ts";
import { throttle } from "./throttle.ts";
import { type Split, splitOf } from "./two_sides.ts";
import { shareOfLine, type Unlike, unlikeOfLines } from "./unlike.ts";
import { Remembered } from "./view_choices.ts";
import { type Question, type WhatIf, whatIfFeed, whatIfOf } from "./what_if.ts";

/** Interval at which a moving slider updates Python. */
const SYNC_MS = 100;

/** What the curves panel has to show. */
export type Picture =
  | { state: "empty" }
  | { state: "loading"; feature: string; previous: Loaded | null }
  | { state: "error"; feature: string; message: string }
  | { state: "ready"; loaded: Loaded };

export interface Loaded {
  curves: CurvesBody;
  colors: ColorsBody | null;
  /** Why the lines could not be coloured, as a sentence. */
  colorProblem: string | null;
  /** The curves of all models, which then have the colours, the open one first; null where they are of one model. */
  models: readonly OfModel[] | null;
}

/** The curves of each model that is drawn. */
const linesOf = ({ curves, models }: Loaded): CurvesBody[] => models?.map((of) => of.curves) ?? [curves];

/** The curves on screen: while others are on their way, still the last ones. */
export function loadedOf(picture: Picture): Loaded | null {
  if (picture.state === "ready") return picture.loaded;
  return picture.state === "loading" ? picture.previous : null;
}

function refusalOf(message: unknown): string | null {
  const { type, message: sentence } = (message ?? {}) as Partial<Refusal>;
  return type === "refused" && typeof sentence === "string" ? sentence : null;
}

const otherProtocol = (protocol: number): string =>
  `This view uses protocol ${PROTOCOL_VERSION}, the kernel uses protocol ${protocol}. Restart the kernel and reload the page.`;

/** The features sent by the kernel, with the tables of several models; or an error message if they cannot be read. */
interface Described {
  figures: Figures | null;
  models: readonly ModelTables[];
  problem: string | null;
}

type Tables = Pick<Traits, "_impact" | "_profile" | "_models_impact" | "_models_profile">;

function describedBy(header: Header, sent: Tables): Described {
  const nothing = { figures: null, models: [] };
  if (header.protocol === undefined) return { ...nothing, problem: null };
  if (!isOurs(header)) return { ...nothing, problem: otherProtocol(header.protocol) };
  try {
    const tables = { impact: decodeImpact(header, sent._impact), profile: decodeProfile(header, sent._profile) };
    const models = decodeModels(header, sent._models_impact, sent._models_profile);
    return { figures: { header, ...tables }, models, problem: null };
  } catch (error) {
    return { ...nothing, problem: `${sentenceOf(error)} ${RELOAD}` };
  }
}

/** Cells of X up to which correlations of the open feature are computed without a wait. */
const MOST_CORRELATED = 2_000_000;

/** What the picture is requested for. */
interface Wanted {
  feature: string;
  /** Names of the models that are drawn, the open one first; "" is the only one. */
  models: string[];
  maxLines: number;
  selection: number[];
  colorBy: string | null;
  split: Split;
}

export class Store {
  readonly feature: ReadonlySignal<string>;
  readonly colorBy: ReadonlySignal<string | null>;
  readonly kind: ReadonlySignal<Kind>;
  readonly decay: ReadonlySignal<number>;
  readonly rankBy: ReadonlySignal<RankBy>;
  readonly convention: ReadonlySignal<Convention>;
  readonly unit: ReadonlySignal<Unit>;
  /** Level of the intervals of the bars; null shows none. */
  readonly intervals: ReadonlySignal<number | null>;
  readonly anchor: ReadonlySignal<Anchor>;
  readonly maxLines: ReadonlySignal<number>;
  readonly selection: ReadonlySignal<number[]>;
  readonly output: ReadonlySignal<string>;
  readonly response: ReadonlySignal<string>;
  /** Name of the open model; "" with one. */
  readonly openModel: ReadonlySignal<string>;
  /** What distances from the observed value are measured in. */
  readonly distance: ReadonlySignal<Distance>;

  readonly status: ReadonlySignal<Status>;
  readonly #header: ReadonlySignal<Header>;
  readonly #impact: ReadonlySignal<Traits["_impact"]>;
  readonly #profile: ReadonlySignal<Traits["_profile"]>;
  readonly #modelsImpact: ReadonlySignal<Traits["_models_impact"]>;
  readonly #modelsProfile: ReadonlySignal<Traits["_models_profile"]>;
  readonly #described = computed(() =>
    describedBy(this.#header.value, {
      _impact: this.#impact.value,
      _profile: this.#profile.value,
      _models_impact: this.#modelsImpact.value,
      _models_profile: this.#modelsProfile.value,
    }),
  );
  /** Null until the kernel has sent a header of the same protocol version. */
  readonly figures: ReadonlySignal<Figures | null> = computed(() => this.#described.value.figures);
  /** Why the header cannot be read, as a sentence. */
  readonly problem: ReadonlySignal<string | null> = computed(() => this.#described.value.problem);
  readonly #isDescribed = computed(() => this.figures.value !== null);
  readonly #refusal = signal<string | null>(null);
  /** Why the kernel refused the last change, as a sentence; null if it did not. */
  readonly refusal: ReadonlySignal<string | null> = this.#refusal;
  /** Whether the figures of the bars have intervals: how far models disagree has none. */
  get hasIntervals(): boolean {
    return this.client.answers("intervals") && this.rankBy.value !== "disagreement";
  }
  /** Names of several models, in the order of their colours; none with one model. */
  readonly models: ReadonlySignal<readonly string[]> = computed(() => this.figures.value?.header.models ?? []);
  /** Whether the curves of all models share the axes. */
  readonly showsModels: ReadonlySignal<boolean> = computed(
    () =>
      this.models.value.length > 1 &&
      this.remembered.of("models").value &&
      this.colorBy.value === null &&
      this.remembered.of("coloring").value !== "together",
  );
  readonly reading: ReadonlySignal<Reading | null> = computed(() => {
    const figures = this.figures.value;
    if (figures === null) return null;
    const isDefined = this.unit.value !== "sd" || figures.header.prediction_sd !== null;
    return new Reading(figures, this.decay.value, isDefined ? this.unit.value : "prediction");
  });
  /** Figures of each of several models; per cent of the SD are of that of the open one, so that they compare. */
  readonly #readings: ReadonlySignal<Reading[]> = computed(() => {
    const reading = this.reading.value;
    if (reading === null) return [];
    const { figures, decay, unit } = reading;
    return this.#described.value.models.map((tables) => new Reading({ ...figures, ...tables }, decay, unit));
  });
  /** Whether the figures still are those before the last choice of a convention or of a unit of distances. */
  readonly isCounting: ReadonlySignal<boolean> = computed(() => {
    const header = this.figures.value?.header;
    if (header === undefined) return false;
    return header.convention !== this.convention.value || header.distance !== this.distance.value;
  });
  /** Whether the pointer or the keyboard is on the bars, whose order then stays. */
  readonly holdsOrder = signal(false);
  readonly #order = new SteadyOrder(this.holdsOrder);
  readonly ranking: ReadonlySignal<RankedFeature[]> = computed(() => {
    const [reading, rankBy] = [this.reading.value, this.rankBy.value];
    if (reading === null) return [];
    const ranked = rankFeatures(reading, rankBy, this.whiskers.value, this.#readings.value);
    const { convention, distance } = reading.figures.header;
    const isEmpty = !ranked.some(({ known }) => known);
    const choice = JSON.stringify([rankBy, reading.decay, convention, distance, this.explained.value, isEmpty]);
    return this.#order.of(ranked, choice, this.status.value.state === "computing");
  });
  readonly #ranksAtDefault: ReadonlySignal<ReadonlyMap<number, number>> = computed(() => {
    const [reading, rankBy] = [this.reading.value, this.rankBy.value];
    if (reading === null || rankBy !== "in_distribution_impact") return new Map();
    const { figures, unit } = reading;
    const ranked = rankFeatures(new Reading(figures, DOCUMENT_DEFAULTS.decay, unit), rankBy);
    return new Map(ranked.filter(({ known }) => known).map(({ index, rank }) => [index, rank]));
  });
  /** By how many ranks each feature is above that at the default decay, by its index; empty where none is known. */
  readonly movedRanks: ReadonlySignal<ReadonlyMap<number, number>> = computed(() => {
    if (this.decay.value === DOCUMENT_DEFAULTS.decay) return new Map();
    const before = this.#ranksAtDefault.value;
    return new Map(this.ranking.value.map(({ index, rank }) => [index, (before.get(index) ?? rank) - rank]));
  });
  /** Rows that the figures and curves of each feature rest on: null is all of them, and 0 while nothing is known. */
  readonly nRows: ReadonlySignal<ReadonlyMap<string, number | null>> = computed(() => {
    const figures = this.figures.value;
    const features = figures?.header.features ?? [];
    return new Map(features.map(({ name, n_rows }, index) => [name, isKnown(figures!, index) ? n_rows : 0]));
  });
  /** What the intervals are of; null while there are none to request, and while a drag changes their figures. */
  readonly #shown = computed((): Shown | null => {
    const [reading, level, rankBy] = [this.reading.value, this.intervals.value, this.rankBy.value];
    const { state, done } = this.status.value;
    if (reading === null || level === null || state === "computing" || rankBy === "disagreement") return null;
    const isDecayed = rankBy === "in_distribution_impact";
    if (this.isCounting.value || (isDecayed && this.dragging.value)) return null;
    const { decay, unit } = reading;
    const of = [this.measured.value, done, rankBy, level, unit, isDecayed ? decay : null];
    return { key: JSON.stringify(of), rank_by: rankBy, level, decay, unit };
  });
  /**
   * Intervals of the bars. They belong to one decay: while the slider moves there are none, because a whisker of another
   * decay beside a bar would be a wrong statement about it.
   */
  readonly whiskers: ReadonlySignal<Whiskers> = computed(() =>
    this.intervals.value === null ? null : this.#intervalsFeed.of(this.#shown.value?.key ?? ""),
  );
  /** The position at which names of features and columns with the same beginning differ. */
  readonly partings: ReadonlySignal<ReadonlyMap<string, number>> = computed(() => {
    const { features = [], columns = [] } = this.figures.value?.header ?? {};
    return partings([...features, ...columns].map(({ name }) => name));
  });
  /** Identifies the output and its scale. */
  readonly #explainedOutput: ReadonlySignal<string> = computed(() =>
    JSON.stringify([this.output.value, this.response.value, this.#header.value.output_label]),
  );
  /** Identifies what is explained: the output and the open model; curves of others are requested again. */
  readonly explained: ReadonlySignal<string> = computed(() => `${this.#explainedOutput.value} ${this.openModel.value}`);
  /** The same and the unit of distances, which curves come with and figures depend on. */
  readonly measured: ReadonlySignal<string> = computed(() =>
    JSON.stringify([this.explained.value, this.distance.value]),
  );
  /** The same whichever model is open: curves of each are kept. */
  readonly #measuredOutput = computed(() => JSON.stringify([this.#explainedOutput.value, this.distance.value]));
  /** The label of the output that is replaced, until the kernel explains the chosen one; null otherwise. */
  readonly #awaited = signal<string | null>(null);
  /** Whether another output or response was chosen, and the kernel has not begun to explain it. */
  readonly isPreparing: ReadonlySignal<boolean> = computed(
    () => this.#awaited.value === (this.#header.value.output_label ?? ""),
  );
  /** The name of the output, such as "predicted cnt" or "probability of malignant"; of several models with the open one. */
  readonly outputName: ReadonlySignal<string> = computed(() => {
    const label = this.#header.value.output_label ?? "prediction";
    return this.models.value.length > 1 ? `${label} (${this.openModel.value})` : label;
  });
  /** What is predicted without the class that it is of: "probability". */
  readonly quantity: ReadonlySignal<string> = computed(() => {
    const { output_label: label = "prediction", outputs = [] } = this.#header.value;
    const output = [...outputs, this.output.value].find((each) => each !== "" && label.endsWith(` of ${each}`));
    return output === undefined ? label : label.slice(0, -` of ${output}`.length);
  });
  /** The name of the target, such as "observed cnt". */
  readonly targetName: ReadonlySignal<string> = computed(() => {
    const { target_name: name } = this.#header.value;
    return name ? `observed ${name}` : explanation("target").name;
  });
  readonly #picture = signal<Picture>({ state: "empty" });
  readonly picture: ReadonlySignal<Picture> = this.#picture;
  /** What explains the differences between the curves of the open feature. */
  readonly drivers: ReadonlySignal<Progress<DriversBody>> = computed(() =>
    this.#ofFeature.drivers.of(this.#keyOf(this.feature.value)),
  );
  /** ALE of the feature whose curves are on screen. */
  readonly effects: ReadonlySignal<Progress<EffectsBody>> = computed(() =>
    this.#ofFeature.effects.of(this.#shownKey.value),
  );
  /** What varies most with that feature. */
  readonly correlated: ReadonlySignal<Progress<CorrelatedBody>> = computed(() =>
    this.#ofFeature.correlated.of(this.#shownKey.value),
  );
  /** Which of its phantom observations are unlike 99 % of rows. */
  readonly unlike: ReadonlySignal<Progress<Unlike>> = computed(() => {
    const [progress, curves] = [this.#ofFeature.unlike.of(this.#shownKey.value), loadedOf(this.picture.value)?.curves];
    if (progress.body === null || curves === undefined) return progress;
    const body = unlikeOfLines(progress.body, curves);
    return body === null ? { state: "computing", share: 0, body } : { ...progress, body };
  });
  /** The two columns whose heat map replaces the curves: the open feature is one of them. Null while there are none. */
  readonly pair: ReadonlySignal<Pair | null> = computed(() => {
    const [first, second] = this.remembered.of("pair").value;
    if (first === undefined || second === undefined) return null;
    const isOpen = first === this.feature.value || second === this.feature.value;
    return isOpen ? { first, second } : null;
  });
  /** Interactions, and the heat map of the open pair. */
  readonly joint: Joint;
  /** The rule or threshold by which curves are coloured in two groups. */
  readonly split: ReadonlySignal<Split> = computed(() =>
    splitOf(this.remembered.of("coloring").value, this.colorBy.value, this.drivers.value.body),
  );

  /** View settings of the user. */
  readonly remembered: Remembered;
  readonly dragging = signal(false);
  /** Whether a brush is on its way over the lines. */
  readonly brushing = signal(false);
  /** The row under the pointer, by its position in X, which links panels that draw different rows. */
  readonly pointed = signal<number | null>(null);
  /** The one row that is selected, whose curve the crosshair follows; null where there is none, or several. */
  readonly whatIfRow: ReadonlySignal<number | null> = computed(() => {
    const [row, ...others] = this.selection.value;
    return row === undefined || others.length > 0 || this.brushing.value ? null : row;
  });
  readonly whatIf: ReadonlySignal<WhatIf | null> = computed(() => {
    const question = this.#question.value;
    return question === null ? null : whatIfOf(question, this.#whatIfFeed.of(question.key));
  });
  /** Where the crosshair is on the axis of a feature, NaN for a missing value; `stays` when the pointer leaves. */
  readonly crosshair = signal<{ feature: string; value: number; stays: boolean } | null>(null);
  readonly #scale = computed(() => loadedOf(this.picture.value)?.colors?.scale ?? null);
  /** Colour values whose lines the legend has switched off. */
  readonly hiddenLevels: ReadonlySignal<Hidden> = computed(() =>
    hiddenBy(this.remembered.of("filters").value, this.#scale.value),
  );

  /** The same in plots of the open model alone. */
  readonly hiddenOfOpen: ReadonlySignal<Hidden> = computed(() =>
    hiddenBy(this.remembered.of("filters").value, this.showsModels.value ? null : this.#scale.value),
  );

  readonly #signals = new Map<keyof Traits, Signal<unknown>>();
  readonly #cache: CurveCache;
  readonly #syncDecay = throttle(SYNC_MS, (decay: number) => this.#send("decay", decay));
  readonly #syncSelection = throttle(SYNC_MS, (rows: number[]) => this.#send("selection", rows));
  readonly #syncAnchor = throttle(SYNC_MS, (anchor: Anchor) => this.#send("anchor", anchor));
  /** The trait that is being dragged; updates from Python are applied after the drag. */
  #held: "selection" | "anchor" | null = null;
  readonly #endings: (() => void)[] = [];
  readonly #ofFeature: ReturnType<typeof featureFeeds>;
  readonly #intervalsFeed: ReturnType<typeof intervalsFeed>;
  readonly #whatIfFeed: ReturnType<typeof whatIfFeed>;
  /** Names of the models whose curves are drawn, the open one first; "" is the only one. */
  readonly #drawnModels = computed(() => {
    const open = this.openModel.value;
    const others = this.showsModels.value ? this.models.value.filter((name) => name !== open) : [];
    return [open, ...others];
  });
  /** The feature whose curves are on screen. */
  readonly #showing = computed((): Showing | null => {
    const picture = this.picture.value;
    if (picture.state !== "ready") return null;
    const { feature, positions } = picture.loaded.curves;
    return { feature, key: this.#keyOf(feature), positions, version: this.#openRows.value };
  });
  /** Rows that the open feature rests on. */
  readonly #openRows = computed(() => this.nRowsOf(this.feature.value));
  /** Whether slopes are on screen. */
  readonly #hasSlopes = computed(() => {
    const curves = loadedOf(this.picture.value)?.curves;
    return curves !== undefined && drawnKind(this.kind.value, curves.kind) === "d-ice";
  });
  readonly #shownKey = computed(() => this.#keyOf(loadedOf(this.picture.value)?.curves.feature ?? ""));
  /** Of the curves on screen. */
  readonly #drawnNumber = computed(() => {
    const curves = loadedOf(this.picture.value)?.curves;
    return curves === undefined ? null : this.#numberOf(curves);
  });
  readonly #feeds = () => [...Object.values(this.#ofFeature), this.#intervalsFeed, this.#whatIfFeed];
  /** Features in a fixed order, so that the slider and the ranking cause no new requests. */
  readonly #whatIfKey = computed(() => {
    const indices = this.#knownFeatures.value.map(({ index }) => index).sort();
    return JSON.stringify([this.measured.value, this.whatIfRow.value, indices]);
  });
  readonly #question = computed((): Question | null => {
    const [key, row] = [this.#whatIfKey.value, this.whatIfRow.value];
    const features = untracked(() => this.#knownFeatures.value).map(({ name }) => name);
    return row === null ? null : { key, row, features, version: this.#sampleRows.value };
  });
  readonly #sampleRows = computed(() => this.status.value.n_rows);
  readonly #jointKey = computed(() => JSON.stringify([this.explained.value, this.#knownFeatures.value.length]));
  readonly #knownFeatures = computed(() => this.ranking.value.filter(({ known }) => known));
  /** What the picture is of; another object where anything but its rows is other. */
  readonly #wanted = computed((): Wanted => {
    this.measured.value; // curves of another output or scale are loaded again
    return {
      feature: this.#isDescribed.value ? this.feature.value : "",
      models: this.#drawnModels.value,
      maxLines: this.maxLines.value,
      selection: this.selection.value,
      colorBy: this.colorBy.value,
      split: this.split.value,
    };
  });
  readonly #numbers = new WeakMap<CurvesBody, number>();
  #lastNumber = 0;
  #loads = 0;
  /** The first of the loads that may still be shown. */
  #oldest = 0;

  constructor(
    private readonly model: AnyModel<Traits>,
    readonly client: Client,
    readonly settings: ReadonlySignal<Settings> = signal({}),
  ) {
    model.on("msg:custom", this.#hear);
    this.#endings.push(() => model.off("msg:custom", this.#hear));
    this.remembered = new Remembered(model);
    this.feature = this.#follow("feature");
    this.colorBy = this.#follow("color_by");
    this.kind = this.#follow("kind");
    this.decay = this.#follow("decay", () => !this.dragging.peek());
    this.rankBy = this.#follow("rank_by");
    this.convention = this.#follow("convention");
    this.unit = this.#follow("unit");
    this.intervals = this.#follow("ci");
    this.anchor = this.#follow("anchor", () => this.#held !== "anchor");
    this.maxLines = this.#follow("max_lines");
    this.selection = this.#follow("selection", () => this.#held !== "selection");
    this.output = this.#follow("output");
    this.response = this.#follow("response");
    this.openModel = this.#follow("model");
    this.distance = this.#follow("distance");
    this.status = this.#follow("_status");
    this.#header = this.#follow("_header");
    this.#impact = this.#follow("_impact");
    this.#profile = this.#follow("_profile");
    this.#modelsImpact = this.#follow("_models_impact");
    this.#modelsProfile = this.#follow("_models_profile");

    this.#cache = new CurveCache(client, this.#measuredOutput, this.models, (feature) =>
      untracked(() => this.nRowsOf(feature)),
    );
    this.#ofFeature = featureFeeds(client, this.remembered, {
      showing: this.#showing,
      hasSlopes: this.#hasSlopes,
      drawn: this.#drawnNumber,
      canCorrelate: computed(() => {
        const { columns = [], n_observations: n = 0 } = this.#header.value;
        return client.answers("correlated") && columns.length * n <= MOST_CORRELATED;
      }),
    });
    this.#intervalsFeed = intervalsFeed(client, this.#shown);
    this.#whatIfFeed = whatIfFeed(client, this.#question);
    this.joint = new Joint(client, this.#jointKey, this.#sampleRows, this.pair);

    this.#endings.push(this.#followMaxLines(), this.#followPicture());
  }

  /** The open feature among the ranked ones, or null where it is none of them. */
  get opened(): RankedFeature | null {
    return this.ranking.value.find(({ name }) => name === this.feature.value) ?? null;
  }

  /** Rows that the figures and curves of a feature rest on: null is all of them, and 0 while nothing is known. */
  nRowsOf(feature: string): number | null {
    return this.nRows.value.get(feature) ?? null;
  }

  /** Opens the curves of a feature. */
  open(feature: string): void {
    batch(() => {
      this.closePair();
      this.set("feature", feature);
    });
  }

  /** Opens the heat map of two columns, one of which is a feature. */
  openPair(first: string, second: string): void {
    batch(() => {
      if (this.feature.peek() !== first && this.feature.peek() !== second) this.set("feature", first);
      if (this.remembered.of("right").peek() !== "feature") this.remembered.choose("right", "feature");
      this.remembered.choose("pair", [first, second]);
    });
  }

  closePair(): void {
    if (this.remembered.of("pair").peek().length > 0) this.remembered.choose("pair", []);
  }

  /** Sets a trait here and in Python. */
  set<K extends keyof PublicTraits>(key: K, value: Traits[K]): void {
    this.#local(key).value = value;
    this.#send(key, value);
  }

  /** Colours by a column in one of the ways there are. */
  colorAs(column: string | null, coloring: ViewChoices["coloring"]): void {
    batch(() => {
      if (coloring !== this.remembered.of("coloring").peek()) this.remembered.choose("coloring", coloring);
      if (column !== this.colorBy.peek()) this.set("color_by", column);
    });
  }

  setMaxLines(count: number): void {
    const given = new Set(this.#given("_given")).add("max_lines");
    this.model.set("_given", [...given]);
    this.set("max_lines", count);
  }

  setOutput(output: string): void {
    this.#awaited.value = this.#given("_header").output_label ?? "";
    this.set("output", output);
  }

  setResponse(response: string): void {
    this.#awaited.value = this.#given("_header").output_label ?? "";
    this.set("response", response);
  }

  /** Draws the curves of all models, or those of the open one without colours. */
  showModels(areShown: boolean): void {
    batch(() => {
      this.colorAs(null, "value");
      if (areShown !== this.remembered.of("models").peek()) this.remembered.choose("models", areShown);
    });
  }

  /** A step of a drag: at once here, throttled to Python. */
  dragDecay(decay: number): void {
    batch(() => {
      this.dragging.value = true;
      this.#local("decay").value = decay;
    });
    this.#syncDecay.call(decay);
  }

  /** The end of a drag: Python receives the final value without delay. */
  releaseDecay(): void {
    if (!this.dragging.peek()) return;
    this.#syncDecay.flush();
    batch(() => {
      this.dragging.value = false;
      this.#local("decay").value = this.#given("decay"); // the kernel may have refused the last value
    });
  }

  /** Selects one row, or adds it to (takes it out of) the selection; selecting the only selected row clears it. */
  select(position: number, extend: boolean): void {
    const selected = this.selection.peek();
    const present = selected.includes(position);
    if (extend) {
      const rest = selected.filter((row) => row !== position);
      this.set("selection", present ? rest : [...rest, position].sort((a, b) => a - b));
    } else {
      this.set("selection", present && selected.length === 1 ? [] : [position]);
    }
  }

  /** Selects one row and nothing else. */
  selectOnly(position: number): void {
    this.set("selection", [position]);
  }

  clearSelection(): void {
    if (this.selection.peek().length > 0) this.set("selection", []);
  }

  /** A step of a brush: at once here, throttled to Python. */
  brushSelection(rows: number[]): void {
    this.#held = "selection";
    batch(() => {
      this.brushing.value = true;
      this.#local("selection").value = rows;
    });
    this.#syncSelection.call(rows);
  }

  dragAnchor(anchor: Anchor): void {
    this.#held = "anchor";
    this.#local("anchor").value = anchor;
    this.#syncAnchor.call(anchor);
  }

  /** The end of a brush, or of a drag of the anchor. */
  release(): void {
    this.#syncSelection.flush();
    this.#syncAnchor.flush();
    const held = this.#held;
    this.#held = null;
    batch(() => {
      this.brushing.value = false;
      if (held !== null) this.#local(held).value = this.#given(held);
    });
  }

  /** Shows or hides the lines of a level of the colouring column; NaN stands for missing values. */
  toggleLevel(level: number): void {
    this.#filter((scale, before) => toggledLevel(scale, before, level));
  }

  /** Hides the lines of all other levels; shows all if they are hidden already. */
  showOnlyLevel(level: number): void {
    this.#filter((scale, before) => onlyLevel(scale, before, level));
  }

  showAllColors(): void {
    this.#filter(() => null);
  }

  #filter(next: (scale: ColorScale, before: Filter | null) => Filter | null): void {
    const scale = this.#scale.peek();
    if (scale === null) return;
    const { [scale.column]: before, ...others } = this.remembered.of("filters").peek();
    const filter = next(scale, before ?? null);
    this.remembered.choose("filters", filter === null ? others : { ...others, [scale.column]: filter });
  }

  /** Previously requested curves that contain all of these rows. */
  curvesAtHand(feature: string, rows: readonly number[]): CurvesBody | null {
    return this.#cache.known(this.#curvesRequest(feature, this.maxLines.peek(), [...rows], this.openModel.peek()));
  }

  /** The share of the curve of a row that is unlike 99 % of rows; null while that is not shown, or not known. */
  unlikeShareOf(row: number): number | null {
    const [loaded, known] = [loadedOf(this.picture.value), this.unlike.value.body];
    if (loaded === null || this.remembered.of("fade").value !== "unlike" || known === null) return null;
    const line = loaded.curves.positions.indexOf(row);
    return line === -1 ? null : shareOfLine(known, line);
  }

  /** The colours of any curves, with the settings of the open feature. */
  colorsOf(curves: CurvesBody): Promise<Coloring> {
    return this.#cache.colors(curves, this.colorBy.peek(), this.split.peek());
  }

  /** Rows of the data as text. */
  async rows(positions: readonly number[], order: Omit<RowsRequest, "type" | "positions"> = {}): Promise<RowsBody> {
    const body = await this.client.request({ type: "rows", positions: [...positions], ...order });
    const { target_name: name, output_label: label } = this.#header.peek();
    // Of a class, y is whether a row is of it.
    const observed = name !== "" && this.quantity.peek() !== label ? `${name} = ${this.output.peek()}` : name;
    return withTargetName(body, observed);
  }

  /** What some rows have in common. */
  inCommon(positions: readonly number[]): Promise<InCommonBody> {
    return this.client.request({ type: "in_common", positions: [...positions] });
  }

  /** The row with the highest or the lowest prediction. */
  async extremeRow(end: Extreme): Promise<number> {
    return (await this.client.request({ type: "extreme", end })).position;
  }

  async cancel(): Promise<void> {
    await this.client.request({ type: "cancel" });
  }

  async resume(): Promise<void> {
    await this.client.request({ type: "resume" });
  }

  documentState(): DocumentState {
    const keys = Object.keys(DOCUMENT_DEFAULTS) as (keyof DocumentState)[];
    const entries = keys.map((key) => [key, this.#local(key).peek()]);
    return Object.fromEntries(entries) as DocumentState;
  }

  /** Repeats what failed. */
  retry(): void {
    void this.#load(this.#wanted.peek());
    for (const feed of this.#feeds()) feed.retry();
  }

  dispose(): void {
    this.#oldest = Number.POSITIVE_INFINITY;
    this.#order.dispose();
    for (const feed of this.#feeds()) feed.dispose();
    this.joint.dispose();
    this.#syncDecay.flush();
    this.release();
    for (const end of this.#endings) end();
    this.remembered.dispose();
  }

  #keyOf(feature: string): string {
    return `${this.explained.value} ${feature}`;
  }

  /** Each set of curves has its own number. */
  #numberOf(curves: CurvesBody): number {
    const number = this.#numbers.get(curves) ?? ++this.#lastNumber;
    this.#numbers.set(curves, number);
    return number;
  }

  #local<K extends keyof Traits>(key: K): Signal<Traits[K]> {
    return this.#signals.get(key) as Signal<Traits[K]>;
  }

  #follow<K extends keyof Traits>(key: K, accept: () => boolean = () => true): ReadonlySignal<Traits[K]> {
    const mirror = signal(this.#given(key));
    const update = () => {
      if (accept()) mirror.value = this.#given(key);
    };
    this.model.on(`change:${key}`, update);
    this.#endings.push(() => this.model.off(`change:${key}`, update));
    this.#signals.set(key, mirror as Signal<unknown>);
    return mirror;
  }

  #given<K extends keyof Traits>(key: K): Traits[K] {
    return traitOf(this.model, key);
  }

  #send<K extends keyof PublicTraits>(key: K, value: Traits[K]): void {
    this.#refusal.value = null;
    this.model.set(key, value);
    this.model.save_changes();
  }

  readonly #hear = (message: unknown): void => {
    const refusal = refusalOf(message);
    if (refusal === null) return;
    this.#refusal.value = refusal;
    this.#awaited.value = null;
  };

  /** Follows the setting of the number of lines until the user chooses one. */
  #followMaxLines(): () => void {
    const given = this.#follow("_given");
    return effect(() => {
      const wanted = this.settings.value.max_lines;
      if (wanted === undefined || given.value.includes("max_lines") || wanted === this.maxLines.peek()) return;
      this.set("max_lines", wanted);
    });
  }

  #followPicture(): () => void {
    let before: Wanted | null = null;
    return effect(() => {
      this.#openRows.value; // the same curves of other rows are loaded again, too
      const wanted = this.#wanted.value;
      const isSame = wanted === before;
      before = wanted;
      void this.#load(wanted, isSame);
    });
  }

  /**
   * Shows curves and colours together, so that curves never appear in the wrong colour. What is on screen stays where only
   * its rows are others; a reply that is late is shown then, too, unless a later one is.
   */
  async #load(wanted: Wanted, isSame = false): Promise<void> {
    const turn = ++this.#loads;
    if (!isSame) this.#oldest = turn;
    const current = () => turn >= this.#oldest;
    const before = this.#picture.peek();
    const stays = isSame && before.state === "ready";
    const previous = loadedOf(before);
    if (wanted.feature === "") {
      this.#show({ state: "empty" });
      return;
    }
    try {
      const known = this.#knownCurves(wanted);
      if (known === null && !stays) this.#picture.value = { state: "loading", feature: wanted.feature, previous };
      const all = known ?? (await Promise.all(this.#requestsOf(wanted).map((request) => this.#cache.request(request))));
      if (!current()) return;
      const loaded = await this.#coloured(all, wanted);
      if (!current()) return;
      this.#oldest = turn;
      this.#show({ state: "ready", loaded });
    } catch (error) {
      if (current() && !stays) this.#show({ state: "error", feature: wanted.feature, message: sentenceOf(error) });
    }
  }

  #curvesRequest(feature: string, maxLines: number, selection: number[], model: string): CurvesRequest {
    const request = { type: "curves", feature, max_lines: maxLines, selection } as const;
    return model === "" ? request : { ...request, model };
  }

  #requestsOf({ feature, maxLines, selection, models }: Wanted): CurvesRequest[] {
    return models.map((model) => this.#curvesRequest(feature, maxLines, selection, model));
  }

  /** Curves of all models that were requested before; null where some are missing, or have other rows. */
  #knownCurves(wanted: Wanted): CurvesBody[] | null {
    const known = this.#requestsOf(wanted).map((request) => this.#cache.known(request));
    const all = known.filter((curves) => curves !== null);
    return all.length === known.length && haveSameRows(all) ? all : null;
  }

  async #coloured(all: readonly CurvesBody[], { models, colorBy, split }: Wanted): Promise<Loaded> {
    const curves = all[0]!;
    if (all.length === 1) {
      const { colors, problem } = await this.#cache.colors(curves, colorBy, split);
      return { curves, colors, colorProblem: problem, models: null };
    }
    const drawn = models.map((name) => this.models.peek().indexOf(name));
    const colors = this.#cache.modelColors(curves, drawn);
    return { curves, colors, colorProblem: null, models: all.map((of, at) => ({ model: drawn[at]!, curves: of })) };
  }

  /** Keeps an equal picture, so that a new selection alone redraws nothing. */
  #show(picture: Picture): void {
    const before = this.#picture.peek();
    if (before.state === "ready" && picture.state === "ready") {
      const [one, other] = [before.loaded, picture.loaded];
      const sameCurves = linesOf(one).every((curves, at) => curves === linesOf(other)[at]);
      if (sameCurves && one.colors === other.colors && one.colorProblem === other.colorProblem) return;
      if (sameCurves) {
        this.#picture.value = picture;
        return;
      }
    }
    const featureOf = (shown: Picture) => loadedOf(shown)?.curves.feature;
    batch(() => {
      if (featureOf(before) !== featureOf(picture)) this.pointed.value = null;
      this.#picture.value = picture;
    });
  }
}
