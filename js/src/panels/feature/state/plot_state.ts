/** The plot that follows from the store's picture, size, kind and theme. All parts of the panel read it. */
import { computed, type ReadonlySignal } from "@preact/signals-core";
import { EFFECTS, type EffectLine, type EffectName, effectLines } from "../../../plot/effects.ts";
import { stackedScene } from "../../../plot/models.ts";
import { type Plot, plotOf } from "../../../plot/plot.ts";
import { type Scene, sceneOf } from "../../../plot/scene.ts";
import { sharedRange, type ValueRange, valueRange } from "../../../plot/value_range.ts";
import { offersIn } from "../../../state/available_choices.ts";
import { type Loaded, loadedOf, type Store } from "../../../state/store.ts";
import { followSize } from "../../../view/size.ts";
import type { View } from "../../../view/view.ts";
import type { CurvesBody, UnlikeBody } from "../../../wire/protocol.ts";
import { Movement } from "./movement.ts";

export interface Shown {
  /** The curves on screen: the last ones while others are computed. */
  loaded: ReadonlySignal<Loaded | null>;
  plot: ReadonlySignal<Plot | null>;
  movement: Movement;
  range: ReadonlySignal<ValueRange | null>;
  /** The observed target; null where it is not shown. */
  target: ReadonlySignal<Float64Array | null>;
  /** The effects that are switched on, and those that are known. */
  wantedEffects: ReadonlySignal<readonly EffectName[]>;
  effects: ReadonlySignal<readonly EffectLine[]>;
  /** Which phantom observations are unlike 99 % of rows, where curves end there; null while that is not known. */
  unlike: ReadonlySignal<UnlikeBody | null>;
}

/** Narrower frames are not laid out yet. */
const LEAST_WIDTH = 80;
/** Frames from this width on have room for the names of lines, and how much. */
const [LEAST_LABELLED, LABEL_ROOM] = [480, 112];

/** The curves of the open model, or of all of them. */
function sceneIn(store: Store, { curves, models }: Loaded): Scene {
  const of = (each: CurvesBody) => sceneOf(each, store.kind.value, store.anchor.value);
  if (models === null) return of(curves);
  return stackedScene(models.map((each) => ({ model: each.model, scene: of(each.curves) })));
}

type Wants = (key: "target" | "shared_y" | EffectName) => boolean;

/** The effects that are switched on, and the lines of those that are known. */
function effectsIn(store: Store, scene: ReadonlySignal<Scene | null>, wants: Wants) {
  const wantedEffects = computed(() => EFFECTS.filter(wants));
  const effects = computed(() => {
    const [shown, known] = [scene.value, store.effects.value.body];
    return shown === null || known === null ? [] : effectLines(shown, known, wantedEffects.value);
  });
  return { wantedEffects, effects };
}

export function shownIn(view: View, frame: HTMLElement): Shown {
  const { store, theme } = view;
  const size = followSize(frame, view.aborted);
  const loaded = computed(() => loadedOf(store.picture.value));
  const scene = computed(() => loaded.value && sceneIn(store, loaded.value));
  const offers = computed(() => offersIn(store));
  const wants: Wants = (key) => store.remembered.of(key).value && offers.value[key] === null;
  const target = computed(() => (wants("target") ? (loaded.value?.curves.target ?? null) : null));
  const { wantedEffects, effects } = effectsIn(store, scene, wants);
  const unlike = computed(() =>
    store.remembered.of("fade").value === "unlike" && offers.value.unlike === null ? store.unlike.value.body : null,
  );
  const sharedText = computed(() => {
    const [kind, figures] = [scene.value?.kind, store.figures.value];
    const isShared = kind !== undefined && figures !== null && wants("shared_y");
    return JSON.stringify(isShared ? sharedRange(figures, kind) : null); // an equal range redraws nothing
  });
  const range = computed(() => {
    const shared = JSON.parse(sharedText.value);
    return scene.value && valueRange(scene.value, { shared, target: target.value, effects: effects.value });
  });
  const plot = computed(() => {
    if (scene.value === null || loaded.value === null || size.value.width < LEAST_WIDTH) return null;
    const labelRoom = size.value.width < LEAST_LABELLED ? 0 : LABEL_ROOM;
    return plotOf(
      scene.value,
      loaded.value.colors,
      size.value,
      theme.value,
      range.value!,
      labelRoom,
      store.remembered.of("axis").value,
    );
  });
  return {
    loaded,
    plot,
    movement: new Movement(view.aborted),
    range,
    target,
    wantedEffects,
    effects,
    unlike,
  };
}
