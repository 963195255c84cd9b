/** One row of the ranking: name, bar, tick, direction, figure. */
import { type ModelFigure, type RankedFeature, whiskerOf } from "../../state/ranking.ts";
import { ElidedName, flag } from "../../ui/components.tsx";
import { describe, type Scale, signOf } from "./words.ts";

/** Bars and ticks that are shorter, relative to the longest, are not compared. */
const LEAST_SHARE = 0.005;
const SIGNS = { up: "▲", down: "▼", levels: "", none: "" } as const;

interface BarProps {
  ranked: RankedFeature;
  scale: Scale;
  /** Of the beginning that the name shares with other names. */
  sharedLength: number | undefined;
  /** Its row, from 0. */
  place: number;
  /** Its place in the list, from 1, and how many the list has, in sight or not. */
  position: number;
  count: number;
  /** By how many ranks it is above that at the default decay. */
  moved: number;
  /** Whether the row above, and the one below, is tied with this one. */
  isTiedAbove: boolean;
  isTiedBelow: boolean;
  isOpen: boolean;
  /** Whether the Tab key reaches this row. */
  isReachable: boolean;
  isComputing: boolean;
}

export function Bar({ ranked, scale, place, moved, ...row }: BarProps) {
  const { name, known, value } = ranked;
  const share = (length: number | null): number =>
    length !== null && scale.longest > 0 && Number.isFinite(length) ? length / scale.longest : 0;
  // A row of ticks at 0 would look like bars.
  const hasTick = (figure: Pick<ModelFigure, "value" | "tick">): boolean =>
    figure.tick !== null && Number.isFinite(figure.value) && share(Math.max(figure.value, figure.tick)) >= LEAST_SHARE;
  const models = known ? ranked.models : null;
  const [low, high] = (whiskerOf(ranked) ?? [0, 0]).map(share);
  // The whisker is that of the open model.
  const open = models === null ? -1 : scale.models.findIndex(({ isOpen }) => isOpen);
  return (
    <div
      class="ice-bar"
      role="option"
      tabIndex={row.isReachable ? 0 : -1}
      style={{ transform: `translateY(calc(${place} * var(--ice-row)))` }}
      aria-selected={row.isOpen}
      aria-posinset={row.position}
      aria-setsize={row.count}
      aria-label={describe(ranked, scale, moved)}
      data-test="bar"
      data-feature={name}
      data-rank={ranked.rank}
      data-pending={flag(!known)}
      data-draft={flag(ranked.draft !== null)}
      data-computing={flag(row.isComputing && !known)}
      data-sign={signOf(ranked, scale)}
    >
      <span class="ice-bar-name ice-parted">
        <ElidedName name={name} sharedLength={row.sharedLength} />
      </span>
      <span class="ice-bar-moved" aria-hidden="true" data-test="bar-moved">
        {moved !== 0 && `${moved > 0 ? "↑" : "↓"}${Math.abs(moved)}`}
      </span>
      <span class="ice-bar-track">
        {/* Set on the part that uses it: a property that all parts of a row inherit takes the browser several times as long. */}
        <span class="ice-bar-fill" hidden={models !== null} style={{ "--fill": share(value) }} />
        <span class="ice-bar-models">
          {models?.map((figure, model) => (
            <span
              key={model}
              class="ice-bar-model"
              style={{
                "--fill": share(figure.value),
                "--tick": share(figure.tick),
                "--ice-line": scale.models[model]!.color,
              }}
              data-open={flag(model === open)}
              data-tick={flag(hasTick(figure))}
              data-test="bar-model"
            >
              <i />
            </span>
          ))}
        </span>
        <span
          class="ice-bar-tick"
          hidden={ranked.models !== null || !hasTick(ranked)}
          style={{ "--tick": share(ranked.tick) }}
        />
        <span
          class="ice-bar-interval"
          hidden={high! < LEAST_SHARE}
          style={{ "--low": low, "--high": high, "--at": open === -1 ? null : (open + 0.5) / models!.length }}
          data-test="bar-interval"
        />
      </span>
      <span class="ice-bar-sign" aria-hidden="true" data-test="bar-sign">
        {(models ?? [ranked]).map((figure, model) => (
          <span key={model}>{SIGNS[signOf(figure, scale)]}</span>
        ))}
      </span>{" "}
      <span class="ice-bar-figure" data-test="bar-figure">
        {models?.map((figure, model) => <span key={model}>{scale.write(figure.value)} </span>) ??
          (known && scale.write(value))}
      </span>
      {/* A row clips what leaves it, so a bracket has a half in each of the two rows that it joins. */}
      <span class="ice-bar-tied" hidden={!row.isTiedAbove} data-to="above" data-test="bar-tied" />
      <span class="ice-bar-tied" hidden={!row.isTiedBelow} data-to="below" data-test="bar-tied" />
    </div>
  );
}
