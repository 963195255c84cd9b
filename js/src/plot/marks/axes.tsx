/** Axes: hairlines and labels, without a frame. */
import type { ComponentChildren } from "preact";
import { fitted, fittedApart, type LevelLabels, labelWidth, SLANT, SLANT_DEGREES, type Tick } from "./axis.ts";

/** Labels nearer to each other than this are not read, so every second or third is left out. */
const LEAST_APART = 14;

/** Labels left of the plot, each with a hairline across it. */
export const LeftAxis = ({ ticks, left, right }: { ticks: readonly Tick[]; left: number; right: number }) => (
  <g class="ice-axis">
    {ticks.map(({ at, label }) => (
      <>
        <line class="ice-gridline" x1={left} x2={right} y1={at} y2={at} />
        <text x={left - 8} y={at} dy="0.32em" text-anchor="end">
          {label}
        </text>
      </>
    ))}
  </g>
);

interface Horizontal {
  ticks: readonly Tick[];
  left: number;
  right: number;
  top: number;
  font: string;
}

/** A baseline with labels under it, none beyond `width`, or the names of levels. */
export const BottomAxis = ({ labels, ...axis }: Horizontal & { width: number; labels: LevelLabels | null }) =>
  labels === null ? <NumberAxis {...axis} /> : <LevelAxis {...axis} labels={labels} />;

const Baseline = ({ left, right, top, children }: Pick<Horizontal, "left" | "right" | "top"> & Children) => (
  <>
    <line class="ice-baseline" x1={left} x2={right} y1={top} y2={top} />
    {children}
  </>
);

interface Children {
  children: ComponentChildren;
}

const TickMark = ({ at, top }: { at: number; top: number }) => (
  <line class="ice-tick" x1={at} x2={at} y1={top} y2={top + 4} />
);

export const Label = ({ at, top, children }: { at: number; top: number } & Children) => (
  <text x={at} y={top + 8} dy="0.71em" text-anchor="middle">
    {children}
  </text>
);

/** A label that would touch its neighbour is left out. */
function NumberAxis({ ticks, left, right, width, top, font }: Horizontal & { width: number }) {
  let free = Number.NEGATIVE_INFINITY;
  const marks = ticks.map(({ at, label }) => {
    const half = labelWidth([{ at, label }], font) / 2;
    const middle = Math.min(Math.max(at, half), width - half);
    const isFree = middle - half >= free;
    if (isFree) free = middle + half + 8;
    return (
      <>
        <TickMark at={at} top={top} />
        {isFree && (
          <Label at={middle} top={top}>
            {label}
          </Label>
        )}
      </>
    );
  });
  return (
    <g class="ice-axis">
      <Baseline {...{ left, right, top }}>{marks}</Baseline>
    </g>
  );
}

/** Names are slanted where they would touch; a long name is cut, the hover shows it whole. */
function LevelAxis({ ticks, labels, left, right, top, font }: Horizontal & { labels: LevelLabels }) {
  const { slanted, width } = labels;
  const apart = ticks.length > 1 ? Math.abs(ticks[1]!.at - ticks[0]!.at) : Number.POSITIVE_INFINITY;
  const every = slanted ? Math.max(1, Math.ceil(LEAST_APART / apart)) : 1;
  const names = ticks.map(({ label }) => label);
  const texts = fittedApart(names, width, font);
  return (
    <g class="ice-axis" data-test="level-axis">
      <Baseline {...{ left, right, top }}>
        {ticks.map(({ at }, place) => (
          <>
            <TickMark at={at} top={top} />
            {place % every !== 0 ? null : slanted ? (
              <SlantedLabel x={at + 3} y={top + 10}>
                {fitted(texts[place]!, at / Math.cos(SLANT), font)}
              </SlantedLabel>
            ) : (
              <Label at={at} top={top}>
                {texts[place]!}
              </Label>
            )}
          </>
        ))}
      </Baseline>
    </g>
  );
}

const SlantedLabel = ({ x, y, children }: { x: number; y: number } & Children) => (
  <text {...{ x, y }} dy="0.35em" text-anchor="end" transform={`rotate(${-SLANT_DEGREES} ${x} ${y})`}>
    {children}
  </text>
);
