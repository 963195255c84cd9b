/** Where the curves of c-ICE are 0. */

import type { TargetedEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { nearestIndex } from "../../plot/geometry/transforms.ts";
import { type Clock, instantOf, UTC, wallOf } from "../../text/dates.ts";
import { hasLevels, isUnordered, writerOf } from "../../text/values.ts";
import { drawDue, Select } from "../../ui/components.tsx";
import { Setting } from "../../ui/setting.tsx";
import { useView } from "../../view/use_view.tsx";
import type { CurvesBody, FeatureKind, NamedAnchor } from "../../wire/protocol.ts";

function anchorsOf(kind: FeatureKind): Record<NamedAnchor, string> {
  if (isUnordered(kind))
    return { min: "first level", max: "last level", median: "most frequent", own: "observed level" };
  if (kind === "datetime") return { min: "earliest", max: "latest", median: "median", own: "observed value" };
  return {
    min: "lowest",
    max: "highest",
    median: "median",
    own: hasLevels(kind) ? "observed level" : "observed value",
  };
}
const AT_VALUE = "value";
const MS_PER_DAY = 86_400_000;
/** When a day begins by the clock; a moment later where the clock skips that. */
const dayOf = (wall: number, clock: Clock): number => instantOf(clock, wall) ?? wall - (wallOf(clock, wall) - wall);

/** Any level can be an anchor, by its place on the axis; other values are typed. */
export function Anchor() {
  const { store } = useView();
  const field = useRef<HTMLInputElement>(null);
  const anchor = store.anchor.value;
  const curves = store.loaded.value?.curves ?? null;
  const onLevels = curves !== null && hasLevels(curves.kind);
  const isTyped = typeof anchor === "number" && !onLevels;
  // On levels an anchor of another feature is the nearest of them.
  const level = typeof anchor === "number" && onLevels ? curves.grid[nearestIndex(curves.grid, anchor)] : anchor;
  const isDate = curves?.kind === "datetime";
  const clock = curves?.clock ?? UTC;
  useLayoutEffect(() => {
    const input = field.current!;
    if (!isTyped) return;
    if (isDate) input.valueAsNumber = Math.round(wallOf(clock, anchor)) * MS_PER_DAY;
    else if (input.valueAsNumber !== anchor) input.value = String(Number(anchor.toPrecision(6)));
  });
  const choose = (value: string): void => {
    if (value in anchorsOf("numeric")) store.set("anchor", value as NamedAnchor);
    else if (value !== AT_VALUE) store.set("anchor", Number(value));
    else {
      store.set("anchor", curves?.median ?? 0);
      drawDue(); // shows the field
      field.current!.focus({ preventScroll: true });
    }
  };
  const type = ({ currentTarget: { valueAsNumber: typed } }: TargetedEvent<HTMLInputElement>): void => {
    if (Number.isFinite(typed)) store.set("anchor", isDate ? dayOf(typed / MS_PER_DAY, clock) : typed);
  };
  return (
    <Setting
      name="anchor"
      label="Anchor"
      text="Where all curves of c-ICE are 0."
      offer={store.kind.value === "c-ice" ? null : undefined}
      control={(attributes) => (
        <>
          <Select
            value={isTyped ? AT_VALUE : String(level)}
            options={anchorOptions(curves)}
            choose={choose}
            {...attributes}
          />
          <input
            ref={field}
            type={isDate ? "date" : "number"}
            class="ice-number"
            step="any"
            hidden={!isTyped}
            aria-label="Anchor value"
            data-test="anchor-value"
            onChange={type}
          />
        </>
      )}
    />
  );
}

function anchorOptions(curves: CurvesBody | null): [string, string][] {
  const named = Object.entries(anchorsOf(curves?.kind ?? "numeric"));
  if (curves === null || !hasLevels(curves.kind)) return [...named, [AT_VALUE, "value …"]];
  const write = writerOf(curves);
  return [...named, ...Array.from(curves.grid, (level): [string, string] => [String(level), write(level)])];
}
