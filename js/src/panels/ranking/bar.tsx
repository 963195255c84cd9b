/** One row of the ranking: name, direction, bar, tick, figure. */
import { ElidedName, flag } from "../../ui/components.tsx";

export interface BarState {
  /** Among all features, from 1. */
  rank: number;
  /** Its row, from 0. */
  place: number;
  /** Its place in the list, from 1, and how many the list has, in sight or not. */
  position: number;
  of: number;
  /** Whether the figure is still to come. */
  pending: boolean;
  /** Whether it rests on a sample of the rows. */
  isDraft: boolean;
  /** Shares of the longest bar; null where there is none. */
  fill: number | null;
  tick: number | null;
  /** Ends of the whisker, likewise. */
  interval: [number, number] | null;
  /** Whether the row above, and the one below, is tied with this one. */
  tiedAbove: boolean;
  tiedBelow: boolean;
  /** A bar for each of several models, instead of the one bar and its tick; null with one model. */
  models: readonly ModelBar[] | null;
  figure: string;
  /** Sign before the figure: the direction of the curves, which levels without an order have not. */
  sign: "up" | "down" | "levels" | "none";
  /** By how many ranks it is above that at the default decay. */
  moved: number;
  open: boolean;
  /** Whether the Tab key reaches this row. */
  reachable: boolean;
  computing: boolean;
  description: string;
}

/** Shares of the longest bar; null where there is none. */
export interface ModelBar {
  fill: number | null;
  tick: number | null;
  color: string;
  isOpen: boolean;
}

const SIGNS = { up: "▲", down: "▼", levels: "", none: "" } as const;

interface BarProps extends BarState {
  name: string;
  /** Of the beginning that the name shares with other names. */
  sharedLength: number | undefined;
}

export function Bar({ name, sharedLength, models, moved, ...state }: BarProps) {
  const [low, high] = state.interval ?? [0, 0];
  // The whisker is that of the open model.
  const open = models?.findIndex(({ isOpen }) => isOpen) ?? -1;
  return (
    <div
      class="ice-bar"
      role="option"
      tabIndex={state.reachable ? 0 : -1}
      style={{ transform: `translateY(calc(${state.place} * var(--ice-row)))` }}
      aria-selected={state.open}
      aria-posinset={state.position}
      aria-setsize={state.of}
      aria-label={state.description}
      data-test="bar"
      data-feature={name}
      data-rank={state.rank}
      data-pending={flag(state.pending)}
      data-draft={flag(state.isDraft)}
      data-computing={flag(state.computing)}
      data-sign={state.sign}
    >
      <span class="ice-bar-name ice-parted">
        <ElidedName name={name} sharedLength={sharedLength} />
      </span>
      <span class="ice-bar-track">
        {/* Set on the part that uses it: a property that all parts of a row inherit takes the browser several times as long. */}
        <span class="ice-bar-fill" hidden={models !== null && !state.pending} style={{ "--fill": state.fill ?? 0 }} />
        <span class="ice-bar-models">
          {models?.map(({ fill, tick, color, isOpen }, model) => (
            <span
              key={model}
              class="ice-bar-model"
              style={{ "--fill": fill ?? 0, "--tick": tick ?? 0, "--ice-line": color }}
              data-open={flag(isOpen)}
              data-tick={flag(tick !== null)}
              data-test="bar-model"
            >
              <i />
            </span>
          ))}
        </span>
        <span class="ice-bar-tick" hidden={state.tick === null} style={{ "--tick": state.tick ?? 0 }} />
        <span
          class="ice-bar-interval"
          hidden={state.interval === null}
          style={{ "--low": low, "--high": high, "--at": open === -1 ? null : (open + 0.5) / models!.length }}
          data-test="bar-interval"
        />
        <span class="ice-bar-moved" data-test="bar-moved">
          {moved !== 0 && `${moved > 0 ? "↑" : "↓"}${Math.abs(moved)}`}
        </span>
      </span>
      <span class="ice-bar-sign" aria-hidden="true">
        {SIGNS[state.sign]}
      </span>{" "}
      <span class="ice-bar-figure" data-test="bar-figure">
        {state.figure}
      </span>
      {/* A row clips what leaves it, so a bracket has a half in each of the two rows that it joins. */}
      <span class="ice-bar-tied" hidden={!state.tiedAbove} data-to="above" data-test="bar-tied" />
      <span class="ice-bar-tied" hidden={!state.tiedBelow} data-to="below" data-test="bar-tied" />
    </div>
  );
}
