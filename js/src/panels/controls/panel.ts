/** How the open feature is drawn. */

import { html, update } from "../../elements/element.ts";
import { explained, hinted } from "../../elements/explained.ts";
import { listen } from "../../elements/lifetime.ts";
import { optionsIn } from "../../elements/options.ts";
import { segments } from "../../elements/segments.ts";
import { nearestIndex } from "../../geometry/transforms.ts";
import type { View } from "../../view/view.ts";
import type { CurvesBody, FeatureKind, Kind, NamedAnchor } from "../../wire/protocol.ts";
import { type Clock, instantOf, UTC, wallOf } from "../../words/dates.ts";
import { explanation } from "../../words/glossary.ts";
import { plural } from "../../words/numbers.ts";
import { drawnKind, hasLevels, isUnordered, noSlopes, writerOf } from "../../words/values.ts";
import { viewMenu } from "./view_menu.ts";

const KINDS: readonly Kind[] = ["ice", "c-ice", "d-ice"];
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
const LINE_COUNTS = [50, 100, 200, 500, 1000, 2000, 5000];
const AT_VALUE = "value";
const MS_PER_DAY = 86_400_000;
/** When a day begins by the clock; a moment later where the clock skips that. */
const dayOf = (wall: number, clock: Clock = UTC): number =>
  instantOf(clock, wall) ?? wall - (wallOf(clock, wall) - wall);

export function controlsPanel(view: View, colors: HTMLElement): HTMLElement {
  return html(
    "div",
    { class: "ice-controls" },
    // Where there is no room for one line of controls, each part has its own.
    html("div", { class: "ice-controls-part" }, kindControl(view), colors),
    html("div", { class: "ice-controls-part" }, anchorControl(view), linesControl(view), viewMenu(view)),
  );
}

function kindControl({ store, aborted, keep }: View): HTMLElement {
  const buttons = KINDS.map((kind) => html("button", { "data-test": `kind-${kind}` }, explanation(kind).name));
  const choose = (place: number): void => {
    if (!buttons[place]!.hasAttribute("aria-disabled")) store.setKind(KINDS[place]!);
  };
  const { node, check } = segments("Kind of curves", buttons, choose, aborted);
  keep(
    // Of all features together, some have slopes.
    () => [store.kind.value, store.remembered.of("right").value === "all" ? null : store.opened] as const,
    ([wanted, opened]) => {
      check(KINDS.indexOf(drawnKind(wanted, opened?.kind ?? "numeric")));
      for (const [place, button] of buttons.entries()) {
        const kind = KINDS[place]!;
        const offered = opened === null || drawnKind(kind, opened.kind) === kind;
        // It stays focusable, so that its hint can explain why it does nothing.
        update(button, { "aria-disabled": offered ? null : "true" });
        if (offered) explained(button, explanation(kind));
        else hinted(button, noSlopes(opened.name));
      }
    },
  );
  return node;
}

/** Any level can be an anchor, by its place on the axis; other values are typed. */
function anchorControl({ store, aborted, keep }: View): HTMLElement {
  const select = html("select", { class: "ice-select", "data-test": "anchor" });
  const attributes = { class: "ice-number", step: "any", "data-test": "anchor-value", "aria-label": "Anchor value" };
  const value = html("input", attributes);
  const opened = (): CurvesBody | null => {
    const picture = store.picture.value;
    return picture.state === "ready" ? picture.loaded.curves : null;
  };
  listen(select, aborted, {
    change: () => {
      if (select.value in anchorsOf("numeric")) return store.setAnchor(select.value as NamedAnchor);
      if (select.value !== AT_VALUE) return store.setAnchor(Number(select.value));
      store.setAnchor(opened()?.median ?? 0);
      value.focus({ preventScroll: true });
    },
  });
  listen(value, aborted, {
    change: () => {
      const typed = value.valueAsNumber;
      if (!Number.isFinite(typed)) return;
      store.setAnchor(value.type === "date" ? dayOf(typed / MS_PER_DAY, opened()?.clock) : typed);
    },
  });
  const both = html("span", { class: "ice-anchor" }, html("label", { class: "ice-field" }, "Anchor ", select), value);
  const offer = optionsIn(select);
  keep(
    () => [store.anchor.value, store.kind.value, opened()] as const,
    ([anchor, kind, curves]) => {
      both.hidden = kind !== "c-ice";
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
  return both;
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

function linesControl({ store, aborted, keep }: View): HTMLElement {
  const select = html("select", {
    class: "ice-select ice-max-lines",
    "data-test": "max-lines",
    "aria-label": "Maximum number of curves drawn",
  });
  listen(select, aborted, { change: () => store.setMaxLines(Number(select.value)) });
  const offer = optionsIn(select);
  keep(
    () => [store.figures.value?.header.n_observations ?? 0, store.maxLines.value] as const,
    ([n, maxLines]) => {
      const most = Math.min(n, LINE_COUNTS.at(-1)!, store.client.mostLines);
      const wanted = Math.min(maxLines, n);
      const counts = new Set([...LINE_COUNTS.filter((count) => count < most), most, wanted].filter(Boolean));
      offer([...counts].sort((a, b) => a - b).map((count) => [String(count), plural(count, "curve")]));
      select.value = String(wanted);
      const limited = `At most ${plural(maxLines, "curve")} of ${plural(n, "observation")}.`;
      hinted(select, maxLines < n ? limited : "All curves.");
    },
  );
  return select;
}
