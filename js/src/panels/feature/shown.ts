/** The plot of the open feature, which follows from the store's picture, size, kind and theme. */
import { computed, type ReadonlySignal, type Signal, signal } from "@preact/signals-core";
import { type Drawing, makeDrawing } from "../../plot/drawing.ts";
import { type AleLine, aleLine } from "../../plot/effects.ts";
import { meansByGroup } from "../../plot/groups.ts";
import { layOut } from "../../plot/layout.ts";
import { stackedScene } from "../../plot/models.ts";
import type { Pace } from "../../plot/pace.ts";
import { type Scene, sceneOf } from "../../plot/scene.ts";
import { valueRange } from "../../plot/value_range.ts";
import { offersIn } from "../../state/available_choices.ts";
import type { Loaded } from "../../state/curves.ts";
import type { Store } from "../../state/store.ts";
import type { Size } from "../../view/size.ts";
import type { View } from "../../view/view.ts";
import type { CurvesBody } from "../../wire/protocol.ts";

export interface Shown {
  /** The curves on screen: the last ones while others are computed. */
  loaded: ReadonlySignal<Loaded | null>;
  size: Signal<Size>;
  drawing: Drawing;
  /** Whether ALE is switched on, and ALE where it is known. */
  wantsAle: ReadonlySignal<boolean>;
  ale: ReadonlySignal<AleLine | null>;
}

/** Narrower frames are not laid out yet. */
const LEAST_WIDTH = 80;
/** Frames from this width on have room for the names of lines, and how much. */
const [LEAST_LABELLED, LABEL_ROOM] = [480, 112];

/** The curves of the open model, or of all of them. */
function sceneIn(store: Store, { curves, models }: Loaded): Scene {
  const draw = (each: CurvesBody) => sceneOf(each, store.kind.value, store.anchor.value);
  if (models === null) return draw(curves);
  return stackedScene(models.map((each) => ({ model: each.model, scene: draw(each.curves) })));
}

export function shownIn({ store, theme, root }: View, pace: Pace): Shown {
  const size = signal<Size>({ width: 0, height: 0, ratio: 1 });
  const { loaded } = store;
  const colors = computed(() => loaded.value?.colors ?? null);
  const scene = computed(() => loaded.value && sceneIn(store, loaded.value));
  const offers = computed(() => offersIn(store));
  const isWanted = (key: "target" | "ale") => store.remembered.of(key).value && offers.value[key] === null;
  const target = computed(() => (isWanted("target") ? (loaded.value?.curves.target ?? null) : null));
  const wantsAle = computed(() => isWanted("ale"));
  const ale = computed(() => {
    const [drawn, known] = [scene.value, store.effects.value.body];
    return drawn === null || known === null || !wantsAle.value ? null : aleLine(drawn, known);
  });
  const unlike = computed(() =>
    store.remembered.of("fade").value === "unlike" && offers.value.unlike === null ? store.unlike.value.body : null,
  );
  const range = computed(() => scene.value && valueRange(scene.value, { target: target.value, ale: ale.value }));
  const layout = computed(() => {
    if (scene.value === null || range.value === null || size.value.width < LEAST_WIDTH) return null;
    return layOut(scene.value, colors.value, {
      plotSize: "large",
      size: size.value,
      theme: theme.value,
      range: range.value,
      labelRoom: size.value.width < LEAST_LABELLED ? 0 : LABEL_ROOM,
      axisChoice: store.remembered.of("axis").value,
    });
  });
  const drawing = makeDrawing({
    plotSize: "large",
    layout,
    hidden: store.hiddenLevels,
    decay: store.decay,
    colors,
    unlike,
    target,
    groups: computed(() => scene.value && meansByGroup(scene.value, colors.value)),
    pace,
    // What is on screen, on the root element.
    report: ({ scene: { curves, kind } }, nLines, ms) =>
      Object.assign(root.dataset, {
        feature: curves.feature,
        kind,
        drawnLines: String(nLines),
        frameMs: ms.toFixed(1),
      }),
  });
  return { loaded, size, drawing, wantsAle, ale };
}
