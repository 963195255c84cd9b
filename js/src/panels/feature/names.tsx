/** The names of what is drawn, at the right end of each line where there is room, else under the plot. */
import { useComputed } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { ColorLegend } from "../../plot/legend.tsx";
import { type Explanation, explanation } from "../../text/glossary.ts";
import { explainedBy } from "../../ui/components.tsx";
import { useView } from "../../view/use_view.tsx";
import type { Shown } from "./shown.ts";

/** More names than this do not fit beside their lines. */
const MOST_DIRECT = 6;

interface Props {
  shown: Shown;
  /** Whether these are the names beside the lines, or those under the plot. */
  isInStage: boolean;
  isDirect: boolean;
}

/** Whether names are beside the lines. */
export function useDirectNames({ drawing }: Shown): boolean {
  const hasRoom = useComputed(() => {
    const n = drawing.groups.value?.means.length ?? 0;
    return (drawing.layout.value?.labelRoom ?? 0) > 0 && n <= MOST_DIRECT;
  });
  return hasRoom.value;
}

/** The names beside the lines, inside of the stage of the plot, or those under it. */
export function Names({ shown, isInStage, isDirect }: Props) {
  const { store } = useView();
  const { drawing, loaded, ale } = shown;
  const layout = drawing.layout.value;
  const groups = drawing.groups.value;
  const hasLegendInStage = groups !== null && isDirect;
  const { colors = null, colorProblem = null } = loaded.value ?? {};
  const nMissing = colors?.values.reduce((sum, value) => sum + Number(Number.isNaN(value)), 0) ?? 0;
  const onLevels = layout?.scene.onLevels ?? false;
  const variant = layout === null ? "ice" : layout.scene.kind;
  const lines = isDirect === isInStage && (
    <>
      <KeyItem
        mark="mean"
        sign={onLevels ? "mean-level" : "mean"}
        meaning={explanation("partial_dependence", onLevels ? "levels" : variant)}
        hidden={layout === null || groups !== null}
        isDirect={isDirect}
      />
      <KeyItem
        mark="ale"
        sign={onLevels ? "ale ice-key-level" : "ale"}
        meaning={explanation("ale", variant)}
        hidden={ale.value === null}
        isDirect={isDirect}
      />
    </>
  );
  const legend = hasLegendInStage === isInStage && (
    <ColorLegend
      name="legend"
      colors={colors}
      problem={colorProblem}
      nMissing={nMissing}
      drawn={groups?.means.map(({ n }) => n) ?? []}
      isDirect={hasLegendInStage}
    />
  );
  if (isInStage) {
    return (
      <>
        {lines}
        {legend}
      </>
    );
  }
  const target = { name: store.targetName.value, text: explanation("target").text };
  return (
    <div>
      <p class="ice-key">
        <KeyItem mark="target" sign="target" meaning={target} hidden={drawing.target.value === null} />
        {lines}
      </p>
      {legend}
    </div>
  );
}

interface ItemProps {
  mark: "mean" | "ale" | "target";
  sign: string;
  meaning: Explanation;
  hidden: boolean;
  isDirect?: boolean;
}

/** A mark and its name, with an explanation. */
const KeyItem = ({ mark, sign, meaning, hidden, isDirect = false }: ItemProps) => (
  <span class={isDirect ? "ice-key-item ice-direct" : "ice-key-item"} data-test={`key-${mark}`} hidden={hidden}>
    <i class={`ice-key-${sign}`} />
    <span {...explainedBy(meaning)}>{meaning.name}</span>
  </span>
);

/** Moves the names to the ends of their lines, after they were drawn. */
export function useNamePlaces({ drawing, ale }: Shown, stage: RefObject<HTMLElement | null>, isDirect: boolean): void {
  const [layout, groups, hidden] = [drawing.layout.value, drawing.groups.value, drawing.hidden.value];
  const line = ale.value;
  useLayoutEffect(() => {
    if (!isDirect || layout === null || stage.current === null) return;
    const { y, scene, outer, bottom } = layout;
    const part = (name: string) => stage.current!.querySelector<HTMLElement>(`[data-test="${name}"]`);
    const last = (values: ArrayLike<number>): number => y(values[values.length - 1] ?? 0);
    const levels = [...stage.current.querySelectorAll<HTMLElement>("[data-level]:is(button)")];
    const names = levels.map((node, level) => {
      const mean = groups?.means[level];
      return { node, y: mean === undefined || mean.n === 0 ? bottom : last(mean.values) };
    });
    const [mean, aleName] = [part("key-mean"), part("key-ale")];
    if (mean !== null && groups === null) names.push({ node: mean, y: last(scene.mean) });
    const title = part("legend-title");
    if (title) names.push({ node: title, y: Math.min(...names.map((name) => name.y)) - title.offsetHeight - 2 });
    if (line !== null && aleName !== null) names.push({ node: aleName, y: last(line.values) });
    placeNames(names, outer + 8, bottom);
  }, [layout, groups, hidden, line, isDirect]);
}

/** Moves names apart that would overlap, from the top down; none leaves the plot at the bottom. */
function placeNames(names: readonly { node: HTMLElement; y: number }[], left: number, bottom: number): void {
  let free = 0;
  const heights = names.map(({ node }) => node.offsetHeight);
  const places = names
    .map(({ node, y }, at) => ({ node, y, height: heights[at]! }))
    .sort((a, b) => a.y - b.y)
    .map(({ node, y, height }) => {
      const top = Math.max(free, y - 8);
      free = top + height + 2;
      return { node, top };
    });
  const beyond = Math.max(0, free - bottom - 8);
  for (const { node, top } of places)
    Object.assign(node.style, { left: `${left}px`, top: `${Math.max(0, top - beyond)}px` });
}
