/** How the open feature is drawn. */
import { number, plural } from "../format.ts";
import { html, update } from "../marks/element.ts";
import type { Anchor, Kind, NamedAnchor } from "../protocol.ts";
import type { View } from "../view.ts";

const KINDS: Record<Kind, { label: string; title: string }> = {
  ice: { label: "ICE", title: "Predictions: one line per observation" },
  "c-ice": { label: "c-ICE", title: "Centred: change of each line from where the anchor is" },
  "d-ice": { label: "d-ICE", title: "Slopes: how steep each line is" },
};
const ANCHORS: Record<NamedAnchor, string> = {
  min: "lowest",
  max: "highest",
  median: "median",
  own: "own value",
};
const LINE_COUNTS = [50, 100, 200, 500, 1000, 2000, 5000];
const AT_VALUE = "value";

export function controlsPanel(view: View): HTMLElement {
  return html(
    "div",
    { class: "ice-controls" },
    kindControl(view),
    colorControl(view),
    anchorControl(view),
    linesControl(view),
  );
}

function kindControl({ store, aborted, keep }: View): HTMLElement {
  const kinds = Object.keys(KINDS) as Kind[];
  const buttons = kinds.map((kind) =>
    html(
      "button",
      { type: "button", role: "radio", class: "ice-segment", "data-test": `kind-${kind}`, title: KINDS[kind].title },
      KINDS[kind].label,
    ),
  );
  const group = html("div", { class: "ice-segments", role: "radiogroup", "aria-label": "Kind of curves" }, ...buttons);
  const choose = (place: number): void => {
    const next = (place + kinds.length) % kinds.length;
    store.setKind(kinds[next]!);
    buttons[next]!.focus({ preventScroll: true });
  };
  for (const [place, button] of buttons.entries()) {
    button.addEventListener("click", () => choose(place), { signal: aborted });
  }
  group.addEventListener(
    "keydown",
    (event) => {
      const place = buttons.indexOf(event.target as HTMLButtonElement);
      const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
      if (step === undefined) return;
      event.preventDefault();
      choose(place + step);
    },
    { signal: aborted },
  );
  keep(
    () => store.kind.value,
    (kind) => {
      for (const [place, button] of buttons.entries()) {
        const checked = kinds[place] === kind;
        update(button, { "aria-checked": String(checked), tabindex: checked ? 0 : -1 });
      }
    },
  );
  return group;
}

function colorControl({ store, aborted, keep }: View): HTMLElement {
  const select = html("select", { class: "ice-select", "data-test": "color-by" });
  select.addEventListener("change", () => store.setColorBy(select.selectedIndex === 0 ? null : select.value), {
    signal: aborted,
  });
  let listed = "";
  keep(
    () => ({ columns: store.figures.value?.header.columns ?? [], colorBy: store.colorBy.value }),
    ({ columns, colorBy }) => {
      const names = columns.filter(({ kind }) => kind !== "other").map(({ name }) => name);
      if (colorBy !== null && !names.includes(colorBy)) names.push(colorBy);
      const key = JSON.stringify(names);
      if (key !== listed) {
        listed = key;
        select.replaceChildren(
          html("option", { value: "" }, "nothing"),
          ...names.map((name) => html("option", { value: name }, name)),
        );
      }
      select.selectedIndex = colorBy === null ? 0 : names.indexOf(colorBy) + 1;
    },
  );
  return html("label", { class: "ice-field ice-color-by" }, "Colour by ", select);
}

function anchorControl({ store, aborted, keep }: View): HTMLElement {
  const select = html("select", { class: "ice-select", "data-test": "anchor" });
  for (const [anchor, label] of Object.entries(ANCHORS)) select.append(html("option", { value: anchor }, label));
  select.append(html("option", { value: AT_VALUE }, "value …"));
  const value = html("input", {
    type: "number",
    class: "ice-number",
    step: "any",
    "data-test": "anchor-value",
    "aria-label": "Anchor value",
  });
  select.addEventListener(
    "change",
    () => {
      if (select.value !== AT_VALUE) return store.setAnchor(select.value as NamedAnchor);
      const picture = store.picture.peek();
      store.setAnchor(picture.state === "ready" ? picture.loaded.curves.median : 0);
      value.focus({ preventScroll: true });
    },
    { signal: aborted },
  );
  value.addEventListener(
    "change",
    () => {
      const typed: Anchor = value.valueAsNumber;
      if (Number.isFinite(typed)) store.setAnchor(typed);
    },
    { signal: aborted },
  );
  const field = html("label", { class: "ice-field" }, "Anchor ", select);
  const both = html("span", { class: "ice-anchor" }, field, value);
  keep(
    () => ({ anchor: store.anchor.value, kind: store.kind.value }),
    ({ anchor, kind }) => {
      both.hidden = kind !== "c-ice";
      const numeric = typeof anchor === "number";
      select.value = numeric ? AT_VALUE : anchor;
      value.hidden = !numeric;
      if (numeric && value.valueAsNumber !== anchor) value.value = String(anchor);
    },
  );
  return both;
}

function linesControl({ store, aborted, keep }: View): HTMLElement {
  const select = html("select", {
    class: "ice-select ice-max-lines",
    "data-test": "max-lines",
    "aria-label": "Lines drawn at most",
  });
  select.addEventListener("change", () => store.setMaxLines(Number(select.value)), { signal: aborted });
  let listed = "";
  keep(
    () => ({ n: store.figures.value?.header.n_observations ?? 0, maxLines: store.maxLines.value }),
    ({ n, maxLines }) => {
      const most = LINE_COUNTS[LINE_COUNTS.length - 1]!;
      const wanted = Math.min(maxLines, n);
      const counts = [...new Set([...LINE_COUNTS.filter((count) => count < n), Math.min(n, most), wanted])]
        .filter((count) => count > 0)
        .sort((a, b) => a - b);
      const key = counts.join();
      if (key !== listed) {
        listed = key;
        select.replaceChildren(
          ...counts.map((count) =>
            html("option", { value: count }, count === n ? `all ${number(n)} lines` : `${number(count)} lines`),
          ),
        );
      }
      select.value = String(wanted);
      select.title = `At most ${plural(maxLines, "line")} of ${plural(n, "observation")}`;
    },
  );
  return select;
}
