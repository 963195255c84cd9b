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
  type ClassesBody,
  type ColorScale,
  type Convention,
  type CorrelatedBody,
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
  type ViewChoices,
} from "../wire/protocol.ts";
import { decodeImpact, decodeModels, decodeProfile, type Figures, type ModelTables } from "../wire/tables.ts";
import { isOurs, traitOf } from "../wire/traits.ts";
import { Curves, type Loaded, shareOfLine, type Unlike } from "./curves.ts";
import { type Feed, featureFeed, type Progress, type Showing } from "./feed.ts";
import { type Filter, type Hidden, hiddenBy, onlyLevel, toggledLevel } from "./filters.ts";
import { intervalsFeed, type Shown, type Whiskers } from "./intervals.ts";
import { Joint, type Pair } from "./joint.ts";
import { isKnown, type RankedFeature, rankFeatures } from "./ranking.ts";
import { Reading } from "./reading.ts";
import type { Settings } from "./settings.ts";
import { SteadyOrder } from "./steady_order.ts";
import { type Split, splitOf } from "./two_sides.ts";
import { Remembered } from "./view_choices.ts";
import { type Question, type WhatIf, whatIfFeed, whatIfOf } from "./what_if.ts";

/** Interval at which a moving slider updates Python. */
const SYNC_MS = 100;

/** What the curves panel has to show: while curves are on their way, still the last ones. */
export interface Picture {
  state: "empty" | "loading" | "error" | "ready";
  loaded: Loaded | null;
  /** Why there are no curves. */
  message: string;
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

/** Classes of a reply at most. */
const MOST_CLASSES = 8;
/** Cells of X up to which correlations of the open feature are computed without a wait. */
const MOST_CORRELATED = 2_000_000;

/** Traits that change at every step of a drag. */
type Draggable = "decay" | "selection" | "anchor";

export class Store {
  readonly feature: ReadonlySignal<string>;
  readonly colorBy: ReadonlySignal<string | null>;
  readonly kind: ReadonlySignal<Kind>;
  readonly decay: ReadonlySignal<number>;
  readonly rankBy: ReadonlySignal<RankBy>;
  readonly convention: ReadonlySignal<Convention>;
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
    () => this.models.value.length > 1 && this.remembered.of("models").value && this.colorBy.value === null,
  );
  readonly reading: ReadonlySignal<Reading | null> = computed(() => {
    const figures = this.figures.value;
    return figures === null ? null : new Reading(figures, this.decay.value);
  });
  /** Figures of each of several models. */
  readonly #readings: ReadonlySignal<Reading[]> = computed(() => {
    const reading = this.reading.value;
    if (reading === null) return [];
    const { figures, decay } = reading;
    return this.#described.value.models.map((tables) => new Reading({ ...figures, ...tables }, decay));
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
    const ranked = rankFeatures(new Reading(reading.figures, DOCUMENT_DEFAULTS.decay), rankBy);
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
    const { decay } = reading;
    const of = [this.measured.value, done, rankBy, level, isDecayed ? decay : null];
    return { key: JSON.stringify(of), rank_by: rankBy, level, decay };
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
  /** Curves, their colours, and where they are unlike the data. */
  readonly curves: Curves;
  /** Whether there are curves: feeds that depend on these, and that these depend on, are made before. */
  readonly #isMade = signal(false);
  #last: Loaded | null = null;
  readonly picture: ReadonlySignal<Picture> = computed((): Picture => {
    if (!this.#isMade.value || !this.#isDescribed.value || this.feature.value === "")
      return { state: "empty", loaded: null, message: "" };
    const progress = this.curves.open.value;
    if (progress.state === "error") return { state: "error", loaded: null, message: progress.message };
    this.#last = progress.body ?? this.#last;
    return { state: progress.state === "ready" ? "ready" : "loading", loaded: this.#last, message: "" };
  });
  /** The curves on screen. */
  readonly loaded: ReadonlySignal<Loaded | null> = computed(() => this.picture.value.loaded);
  /** What explains the differences between the curves of the open feature. */
  readonly drivers: ReadonlySignal<Progress<DriversBody>> = computed(() =>
    this.#drivers.of(this.#keyOf(this.feature.value)),
  );
  /** ALE of the feature whose curves are on screen. */
  readonly effects: ReadonlySignal<Progress<EffectsBody>> = computed(() => this.#effects.of(this.#shownKey.value));
  /** What varies most with that feature. */
  readonly correlated: ReadonlySignal<Progress<CorrelatedBody>> = computed(() =>
    this.#correlated.of(this.#shownKey.value),
  );
  /** Which of its phantom observations are unlike 99 % of rows. */
  readonly unlike: ReadonlySignal<Progress<Unlike>> = computed(() => this.curves.unlike(this.#shownFeature.value));
  /** Its curves for every class; null while these are not shown. The last ones stay while others are computed. */
  readonly classes: ReadonlySignal<Progress<ClassesBody> | null> = computed(() =>
    this.#showsClasses.value ? this.#classes.of(this.#classesKey.value) : null,
  );
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
  readonly #dragged = signal<Draggable | null>(null);
  /** The trait that is being dragged; what Python sets it to is applied after the drag. */
  readonly dragged: ReadonlySignal<Draggable | null> = this.#dragged;
  /** Whether the slider moves. */
  readonly dragging = computed(() => this.dragged.value === "decay");
  /** What was brushed last. */
  readonly #brush = signal<{ rows: string; drawn: Uint32Array | null } | null>(null);
  /** Whether a brush is on its way over the lines. */
  readonly brushing = computed(() => this.dragged.value === "selection");
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
  readonly #scale = computed(() => this.loaded.value?.colors?.scale ?? null);
  /** Colour values whose lines the legend has switched off. */
  readonly hiddenLevels: ReadonlySignal<Hidden> = computed(() =>
    hiddenBy(this.remembered.of("filters").value, this.#scale.value),
  );

  /** The same in plots of the open model alone. */
  readonly hiddenOfOpen: ReadonlySignal<Hidden> = computed(() =>
    hiddenBy(this.remembered.of("filters").value, this.showsModels.value ? null : this.#scale.value),
  );

  readonly #signals = new Map<keyof Traits, Signal<unknown>>();
  /** The colours and the kind before a rule. */
  #beforeRule: { column: string | null; coloring: ViewChoices["coloring"]; kind: Kind } | null = null;
  #syncTimer: ReturnType<typeof setTimeout> | undefined;
  #isUnsent = false;
  readonly #endings: (() => void)[] = [];
  readonly #drivers: Feed<Showing, DriversBody>;
  readonly #effects: Feed<Showing, EffectsBody>;
  readonly #correlated: Feed<Showing, CorrelatedBody>;
  readonly #classes: Feed<Showing, ClassesBody>;
  readonly #intervalsFeed: ReturnType<typeof intervalsFeed>;
  readonly #whatIfFeed: ReturnType<typeof whatIfFeed>;
  /** The feature whose curves are known. */
  readonly #showing = computed((): Showing | null => {
    const feature = this.#isMade.value ? this.curves.plain.value?.feature : undefined;
    return feature === undefined ? null : { feature, key: this.#keyOf(feature), version: this.nRowsOf(feature) };
  });
  /** Whether slopes are on screen. */
  readonly #hasSlopes = computed(() => {
    const curves = this.loaded.value?.curves;
    return curves !== undefined && drawnKind(this.kind.value, curves.kind) === "d-ice";
  });
  readonly #shownFeature = computed(() => this.loaded.value?.curves.feature ?? "");
  readonly #shownKey = computed(() => this.#keyOf(this.#shownFeature.value));
  readonly #classesKey = computed(() =>
    JSON.stringify([this.#shownFeature.value, this.maxLines.value, this.response.value]),
  );
  readonly #showsClasses = computed(
    () => this.remembered.of("classes").value && (this.#header.value.outputs?.length ?? 0) > 1,
  );
  readonly #feeds = () => [
    this.#drivers,
    this.#effects,
    this.#correlated,
    this.#classes,
    this.#intervalsFeed,
    this.#whatIfFeed,
  ];
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
    this.decay = this.#follow("decay");
    this.rankBy = this.#follow("rank_by");
    this.convention = this.#follow("convention");
    this.intervals = this.#follow("ci");
    this.anchor = this.#follow("anchor");
    this.maxLines = this.#follow("max_lines");
    this.selection = this.#follow("selection");
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

    const showingIf = (isWanted: () => boolean) => computed(() => (isWanted() ? this.#showing.value : null));
    const canCorrelate = computed(() => {
      const { columns = [], n_observations: n = 0 } = this.#header.value;
      return client.answers("correlated") && columns.length * n <= MOST_CORRELATED;
    });
    this.#drivers = featureFeed(this.#showing, ({ feature }) => client.request({ type: "drivers", feature }));
    this.#effects = featureFeed(
      showingIf(() => this.remembered.of("ale").value && !this.#hasSlopes.value),
      ({ feature }) => client.request({ type: "effects", feature }),
    );
    this.#correlated = featureFeed(
      showingIf(() => canCorrelate.value),
      ({ feature }) => client.request({ type: "correlated", feature }),
    );
    this.#classes = featureFeed(
      computed(() => {
        const showing = this.#showsClasses.value ? this.#showing.value : null;
        if (showing === null) return null;
        // Of many classes, a reply has the most probable ones and the one that is explained.
        const isPart = this.#header.value.outputs.length > MOST_CLASSES;
        const version = JSON.stringify([showing.version, isPart && this.output.value]);
        return { ...showing, key: this.#classesKey.value, version };
      }),
      ({ feature }) => client.request({ type: "classes", feature, max_lines: this.maxLines.peek() }),
    );
    this.curves = new Curves(
      {
        measured: this.#measuredOutput,
        maxLines: this.maxLines,
        selection: this.selection,
        brushing: this.brushing,
        models: this.models,
        openModel: this.openModel,
        showsModels: this.showsModels,
        colorBy: this.colorBy,
        split: this.split,
        feature: computed(() => (this.#isDescribed.value ? this.feature.value : "")),
        fadesUnlike: computed(() => this.remembered.of("fade").value === "unlike" && client.answers("unlike")),
        status: computed(() => this.status.value.state),
        nRowsOf: (feature) => this.nRowsOf(feature),
      },
      client,
    );
    this.#isMade.value = true;
    this.#intervalsFeed = intervalsFeed(client, this.#shown);
    this.#whatIfFeed = whatIfFeed(client, this.#question);
    this.joint = new Joint(client, this.#jointKey, this.#sampleRows, this.pair);

    this.#endings.push(
      this.#followMaxLines(),
      effect(() => {
        this.#shownFeature.value;
        this.pointed.value = null;
      }),
      effect(() => {
        this.feature.value;
        untracked(() => this.#beforeRule && this.#restoreColors(this.kind.peek()));
      }),
    );
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

  /**
   * Colours by the split of a column. The next call with the same one restores what was before, another feature the
   * colours: the kind of curves that is on screen stays.
   */
  colorByRule(column: string, kind: Kind = this.kind.peek()): void {
    if (this.isColoredByRule(column)) {
      this.#restoreColors();
      return;
    }
    const [coloring, before] = [this.remembered.of("coloring").peek(), this.colorBy.peek()];
    // From rule to rule, what is restored stays the same.
    const isRule = coloring === "driver";
    if (this.#beforeRule === null || !isRule) {
      this.#beforeRule = {
        column: isRule ? null : before,
        coloring: isRule ? "value" : coloring,
        kind: this.kind.peek(),
      };
    }
    batch(() => {
      this.colorAs(column, "driver");
      if (kind !== this.kind.peek()) this.set("kind", kind);
    });
  }

  isColoredByRule(column: string): boolean {
    return this.remembered.of("coloring").value === "driver" && this.colorBy.value === column;
  }

  #restoreColors(shown?: Kind): void {
    const { column, coloring, ...before } = this.#beforeRule ?? {
      column: null,
      coloring: "value",
      kind: this.kind.peek(),
    };
    const kind = shown ?? before.kind;
    this.#beforeRule = null;
    batch(() => {
      this.colorAs(column, coloring);
      if (kind !== this.kind.peek()) this.set("kind", kind);
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

  /** A step of a drag: at once here, at most every 100 ms in Python. */
  drag<K extends Draggable>(key: K, value: Traits[K]): void {
    if (this.dragged.peek() !== key) this.release();
    batch(() => {
      this.#dragged.value = key;
      this.#local(key).value = value;
    });
    this.#isUnsent = true;
    if (this.#syncTimer === undefined) this.#sync();
  }

  /** The end of a drag: Python receives the last value without delay, and may have refused it. */
  release(): void {
    const key = this.dragged.peek();
    if (key === null) return;
    clearTimeout(this.#syncTimer);
    this.#sync();
    clearTimeout(this.#syncTimer);
    this.#syncTimer = undefined;
    batch(() => {
      this.#dragged.value = null;
      this.#local<keyof Traits>(key).value = this.#given(key);
      if (key === "selection") this.#brush.value = { rows: String(this.selection.peek()), drawn: this.#sampledRows() };
    });
  }

  /** The rows that are drawn where these are not all rows. */
  #sampledRows(): Uint32Array | null {
    const curves = this.loaded.peek()?.curves;
    return curves === undefined || curves.positions.length >= curves.n_observations ? null : curves.positions;
  }

  readonly #sync = (): void => {
    this.#syncTimer = undefined;
    const key = this.dragged.peek();
    if (key === null || !this.#isUnsent) return;
    this.#isUnsent = false;
    this.#send<keyof PublicTraits>(key, this.#local(key).peek());
    this.#syncTimer = setTimeout(this.#sync, SYNC_MS);
  };

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

  /** The share of the curve of a row that is unlike 99 % of rows; null while that is not shown, or not known. */
  unlikeShareOf(row: number): number | null {
    const known = this.unlike.value.body;
    if (this.remembered.of("fade").value !== "unlike" || known === null) return null;
    const line = known.positions.indexOf(row);
    return line === -1 ? null : shareOfLine(known, line);
  }

  /** Rows of the data as text. */
  async rows(positions: readonly number[], order: Omit<RowsRequest, "type" | "positions"> = {}): Promise<RowsBody> {
    const body = await this.client.request({ type: "rows", positions: [...positions], ...order });
    const { target_name: name, output_label: label } = this.#header.peek();
    // Of a class, y is whether a row is of it.
    const observed = name !== "" && this.quantity.peek() !== label ? `${name} = ${this.output.peek()}` : name;
    return withTargetName(body, observed);
  }

  /** The rows that were drawn when the selected ones were brushed; null if all were drawn, or rows were selected otherwise. */
  readonly brushed: ReadonlySignal<Uint32Array | null> = computed(() => {
    const brush = this.#brush.value;
    return brush?.rows === String(this.selection.value) ? brush.drawn : null;
  });

  /** What some rows have in common that is rare in the other rows they were chosen from. */
  inCommon(positions: readonly number[]): Promise<InCommonBody> {
    const among = this.brushed.peek();
    return this.client.request({ type: "in_common", positions: [...positions], among: among && [...among] });
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
    this.curves.retry();
    for (const feed of this.#feeds()) feed.retry();
  }

  dispose(): void {
    this.curves.dispose();
    this.#order.dispose();
    for (const feed of this.#feeds()) feed.dispose();
    this.joint.dispose();
    this.release();
    for (const end of this.#endings) end();
    this.remembered.dispose();
  }

  #keyOf(feature: string): string {
    return `${this.explained.value} ${feature}`;
  }

  #local<K extends keyof Traits>(key: K): Signal<Traits[K]> {
    return this.#signals.get(key) as Signal<Traits[K]>;
  }

  #follow<K extends keyof Traits>(key: K): ReadonlySignal<Traits[K]> {
    const mirror = signal(this.#given(key));
    const update = () => {
      if (key !== this.dragged.peek()) mirror.value = this.#given(key);
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
}
