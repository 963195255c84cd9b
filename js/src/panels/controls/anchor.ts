/** Where the curves of c-ICE are 0. */

import { nearestIndex } from "../../plot/geometry/transforms.ts";
import { type Clock, instantOf, UTC, wallOf } from "../../text/dates.ts";
import { hasLevels, isUnordered, writerOf } from "../../text/values.ts";
import { html } from "../../ui/element.ts";
import { Entry } from "../../ui/entry.ts";
import { listen } from "../../ui/lifetime.ts";
import { optionsIn } from "../../ui/options.ts";
import type { View } from "../../view/view.ts";
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
const dayOf = (wall: number, clock: Clock = UTC): number =>
  instantOf(clock, wall) ?? wall - (wallOf(clock, wall) - wall);

/** Any level can be an anchor, by its place on the axis; other values are typed. */
export function anchorEntry({ store, aborted, keep }: View): HTMLElement {
  const select = html("select", { class: "ice-select", "data-test": "anchor" });
  const attributes = { class: "ice-number", step: "any", "data-test": "anchor-value", "aria-label": "Anchor value" };
  const value = html("input", attributes);
  const opened = (): CurvesBody | null => {
    const picture = store.picture.value;
    return picture.state === "ready" ? picture.loaded.curves : null;
  };
  listen(select, aborted, {
    change: () => {
      if (select.value in anchorsOf("numeric")) return store.set("anchor", select.value as NamedAnchor);
      if (select.value !== AT_VALUE) return store.set("anchor", Number(select.value));
      store.set("anchor", opened()?.median ?? 0);
      value.focus({ preventScroll: true });
    },
  });
  listen(value, aborted, {
    change: () => {
      const typed = value.valueAsNumber;
      if (!Number.isFinite(typed)) return;
      store.set("anchor", value.type === "date" ? dayOf(typed / MS_PER_DAY, opened()?.clock) : typed);
    },
  });
  const entry = new Entry(select, "Anchor", "Where all curves of c-ICE are 0.");
  select.after(value);
  const offer = optionsIn(select);
  keep(
    () => [store.anchor.value, store.kind.value, opened()] as const,
    ([anchor, kind, curves]) => {
      entry.show(kind === "c-ice" ? null : undefined);
      offer(anchorOptions(curves));
      const onLevels = curves !== null && hasLevels(curves.kind);
      const isTyped = typeof anchor === "number" && !onLevels;
      // On levels an anchor of another feature is the nearest of them.
      const level = typeof anchor === "number" && onLevels ? curves.grid[nearestIndex(curves.grid, anchor)] : anchor;
      select.value = isTyped ? AT_VALUE : String(level);
      value.hidden = !isTyped;
      value.type = curves?.kind === "datetime" ? "date" : "number";
      if (isTyped) writeAnchor(value, anchor, curves?.clock ?? UTC);
    },
  );
  return entry.node;
}

function anchorOptions(curves: CurvesBody | null): [string, string][] {
  const named = Object.entries(anchorsOf(curves?.kind ?? "numeric"));
  if (curves === null || !hasLevels(curves.kind)) return [...named, [AT_VALUE, "value …"]];
  const write = writerOf(curves);
  return [...named, ...Array.from(curves.grid, (level): [string, string] => [String(level), write(level)])];
}

function writeAnchor(input: HTMLInputElement, anchor: number, clock: Clock): void {
  if (input.type === "date") input.valueAsNumber = Math.round(wallOf(clock, anchor)) * MS_PER_DAY;
  else if (input.valueAsNumber !== anchor) input.value = String(Number(anchor.toPrecision(6)));
}
