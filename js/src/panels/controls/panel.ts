/** How the open feature is drawn. */

import { html, update } from "../../elements/element.ts";
import { explained, hinted } from "../../elements/explained.ts";
import { listen } from "../../elements/lifetime.ts";
import { nearestIndex } from "../../geometry/transforms.ts";
import type { View } from "../../view/view.ts";
import type { Curves } from "../../wire/decode.ts";
import type { FeatureKind, Kind, NamedAnchor } from "../../wire/protocol.ts";
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
/** When a day begins by the clock; a moment later where that is left out. */
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
  const buttons = KINDS.map((kind) =>
    html(
      "button",
      { type: "button", role: "radio", class: "ice-segment", "data-test": `kind-${kind}` },
      explanation(kind).name,
    ),
  );
  const group = html("div", { class: "ice-segments", role: "radiogroup", "aria-label": "Kind of curves" }, ...buttons);
  const choose = (place: number, step: number): void => {
    const next = (place + step + KINDS.length) % KINDS.length;
    const button = buttons[next]!;
    if (!button.hasAttribute("aria-disabled")) store.setKind(KINDS[next]!);
    button.focus({ preventScroll: true });
  };
  for (const [place, button] of buttons.entries()) {
    listen(button, aborted, { click: () => choose(place, 0) });
  }
  listen(group, aborted, {
    keydown: (event) => {
      const place = buttons.indexOf(event.target as HTMLButtonElement);
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      choose(place, step);
    },
  });
  keep(
    // Of all features together, some have slopes.
    () => ({ wanted: store.kind.value, opened: store.remembered.of("right").value === "all" ? null : store.opened }),
    ({ wanted, opened }) => {
      const drawn = drawnKind(wanted, opened?.kind ?? "numeric");
      for (const [place, button] of buttons.entries()) {
        const kind = KINDS[place]!;
        const checked = kind === drawn;
        update(button, { "aria-checked": String(checked), tabindex: checked ? 0 : -1 });
        const offered = opened === null || drawnKind(kind, opened.kind) === kind;
        // The focus reaches it, so that its hint can say why it does nothing.
        update(button, { "aria-disabled": offered ? null : "true" });
        if (offered) explained(button, explanation(kind));
        else hinted(button, noSlopes(opened.name));
      }
    },
  );
  return group;
}

/** Any level can be an anchor, by its place on the axis; other values are typed. */
function anchorControl({ store, aborted, keep }: View): HTMLElement {
  const select = html("select", { class: "ice-select", "data-test": "anchor" });
  const value = html("input", {
    class: "ice-number",
    step: "any",
    "data-test": "anchor-value",
    "aria-label": "Anchor value",
  });
  const opened = (): Curves | null => {
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
  const field = html("label", { class: "ice-field" }, "Anchor ", select);
  const both = html("span", { class: "ice-anchor" }, field, value);
  let listed = "";
  keep(
    () => ({ anchor: store.anchor.value, kind: store.kind.value, curves: opened() }),
    ({ anchor, kind, curves }) => {
      both.hidden = kind !== "c-ice";
      const of = curves?.kind ?? "numeric";
      const onLevels = curves !== null && hasLevels(of);
      const options = Object.entries(anchorsOf(of));
      if (onLevels)
        options.push(...Array.from(curves.grid, (at): [string, string] => [String(at), writerOf(curves)(at)]));
      else options.push([AT_VALUE, "value …"]);
      const key = JSON.stringify(options);
      if (key !== listed) {
        listed = key;
        select.replaceChildren(...options.map(([name, label]) => html("option", { value: name }, label)));
      }
      const numeric = typeof anchor === "number";
      // On levels an anchor of another feature is the nearest of them.
      if (onLevels && numeric) select.value = String(curves.grid[nearestIndex(curves.grid, anchor)]);
      else select.value = numeric ? AT_VALUE : anchor;
      value.hidden = !numeric || onLevels;
      value.type = of === "datetime" ? "date" : "number";
      if (value.hidden || !numeric) return;
      if (value.type === "date") value.valueAsNumber = Math.round(wallOf(curves?.clock ?? UTC, anchor)) * MS_PER_DAY;
      else if (value.valueAsNumber !== anchor) value.value = String(Number(anchor.toPrecision(6)));
    },
  );
  return both;
}

function linesControl({ store, aborted, keep }: View): HTMLElement {
  const select = html("select", {
    class: "ice-select ice-max-lines",
    "data-test": "max-lines",
    "aria-label": "Maximum number of curves drawn",
  });
  listen(select, aborted, { change: () => store.setMaxLines(Number(select.value)) });
  let listed = "";
  keep(
    () => ({ n: store.figures.value?.header.n_observations ?? 0, maxLines: store.maxLines.value }),
    ({ n, maxLines }) => {
      const most = Math.min(LINE_COUNTS[LINE_COUNTS.length - 1]!, store.client.mostLines);
      const wanted = Math.min(maxLines, n);
      const counts = [
        ...new Set([...LINE_COUNTS.filter((count) => count < Math.min(n, most)), Math.min(n, most), wanted]),
      ]
        .filter((count) => count > 0)
        .sort((a, b) => a - b);
      const key = counts.join();
      if (key !== listed) {
        listed = key;
        select.replaceChildren(...counts.map((count) => html("option", { value: count }, plural(count, "curve"))));
      }
      select.value = String(wanted);
      hinted(
        select,
        maxLines < n ? `At most ${plural(maxLines, "curve")} of ${plural(n, "observation")}.` : "All curves.",
      );
    },
  );
  return select;
}
