/** The open feature for every class of a classifier: small pictures of the same rows on one value axis. */

import { extent } from "d3-array";
import { html, setText, update } from "../../elements/element.ts";
import { listen } from "../../elements/lifetime.ts";
import { scrollBehavior } from "../../elements/move_to.ts";
import { cssColor, plainPalette } from "../../geometry/palette.ts";
import { LineRaster, lineStrength } from "../../geometry/raster.ts";
import { scaleLinear } from "../../marks/scale.ts";
import { followClasses } from "../../store/class_curves.ts";
import type { View } from "../../view/view.ts";
import type { ClassCurves } from "../../wire/decode.ts";
import { columnFormat } from "../../words/numbers.ts";
import { hasLevels } from "../../words/values.ts";

/** Height of a picture, and the room over and under its lines, in px. */
const HEIGHT = 72;
const ROOM = 3;

export function classesPanel(view: View): HTMLElement {
  const { store, theme, aborted, keep } = view;
  const picture = followClasses(store, aborted);
  const title = html("span", { class: "ice-classes-title" });
  const high = html("span");
  const low = html("span");
  const scale = html("div", { class: "ice-classes-scale", "aria-hidden": "true" }, high, low);
  const cards = html("div", { class: "ice-classes-cards", role: "group", "aria-label": "Classes" });
  const more = html("span", { class: "ice-classes-more", "data-test": "classes-more" });
  const message = html("p", { class: "ice-classes-message", role: "status", "data-test": "classes-message" });
  const row = html("div", { class: "ice-classes-row" }, scale, cards);
  const panel = html(
    "section",
    { class: "ice-classes", "aria-label": "All classes", "data-test": "classes", hidden: true },
    html("p", { class: "ice-classes-head" }, title, more),
    message,
    row,
  );
  listen(cards, aborted, {
    click: (event) => {
      const card = (event.target as Element).closest<HTMLElement>("[data-output]");
      if (card !== null && store.client.hasKernel) store.setOutput(card.dataset.output!);
    },
  });
  const chosen = store.remembered.of("classes");
  let wasChosen = chosen.peek();
  let isNew = false;
  /** They are below the plot: a choice that changes nothing in sight looks like one that failed. */
  const reveal = (isReady: boolean): void => {
    if (chosen.peek() !== wasChosen) [wasChosen, isNew] = [chosen.peek(), chosen.peek()];
    if (!isNew || !isReady) return;
    isNew = false;
    panel.scrollIntoView({ block: "nearest", behavior: scrollBehavior() });
  };
  keep(
    () => ({ now: picture.value, theme: theme.value, selection: store.selection.value, output: store.output.value }),
    ({ now, theme: { dark }, selection, output }) => {
      panel.hidden = now.state === "off";
      panel.dataset.state = now.state;
      const classes = now.state === "ready" ? now.classes : now.state === "loading" ? now.previous : null;
      const waiting = now.state === "loading" && classes === null ? "Computing every class …" : "";
      setText(message, now.state === "error" ? now.message : waiting);
      message.hidden = message.textContent === "";
      row.hidden = classes === null;
      if (classes === null) return;
      setText(title, `${classes.feature} for every class`);
      const shown = classes.outputs.length;
      setText(more, shown < classes.nOutputs ? `the ${shown} most probable of ${classes.nOutputs}` : "");
      const domain = domainOf(classes);
      const write = columnFormat(Math.max(...domain.map(Math.abs)));
      setText(low, write(domain[0]));
      setText(high, write(domain[1]));
      if (!sameCards(cards, classes))
        cards.replaceChildren(...classes.outputs.map((output) => cardOf(output, store.client.hasKernel)));
      for (const [at, card] of Array.from(cards.children).entries()) {
        const isOpen = classes.outputs[at] === output;
        update(card, {
          "data-open": isOpen,
          "aria-pressed": store.client.hasKernel ? String(isOpen) : null,
        });
        const pick = getComputedStyle(panel).getPropertyValue("--ice-pick");
        draw(card.querySelector("canvas")!, classes, at, { domain, dark, selection, pick });
      }
      reveal(now.state === "ready");
    },
  );
  return panel;
}

const sameCards = (cards: Element, { outputs }: ClassCurves): boolean =>
  JSON.stringify(Array.from(cards.children, (card) => (card as HTMLElement).dataset.output)) ===
  JSON.stringify(outputs);

/** A press on it has its class explained, where there is a kernel to do so. */
function cardOf(output: string, canExplain: boolean): HTMLElement {
  return html(
    canExplain ? "button" : "div",
    { type: canExplain ? "button" : null, class: "ice-class", "data-output": output, "data-test": "class" },
    html("span", { class: "ice-class-name", title: output }, output),
    html("canvas", { class: "ice-class-picture", "aria-hidden": "true" }),
  );
}

/** Lowest and highest prediction of any class. */
function domainOf({ values, offsets }: ClassCurves): [number, number] {
  const ends = values.flatMap((curves, at) => extent(curves).map((end) => (end ?? 0) + offsets[at]!));
  const [low = 0, high = 0] = extent(ends);
  return low < high ? [low, high] : [low - 0.5, high + 0.5];
}

interface Look {
  domain: [number, number];
  dark: boolean;
  selection: readonly number[];
  pick: string;
}

function draw(canvas: HTMLCanvasElement, classes: ClassCurves, at: number, look: Look): void {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [Math.max(1, Math.round(canvas.clientWidth * ratio)), Math.round(HEIGHT * ratio)];
  Object.assign(canvas, { width, height });
  const pen = canvas.getContext("2d");
  if (pen === null) return;
  const { grid, nLines, nGrid, kind } = classes;
  const room = hasLevels(kind) ? 0.5 : 0;
  const ends = [grid[0]! - room, grid[nGrid - 1]! + room];
  if (ends[0] === ends[1]) ends.splice(0, 2, ends[0]! - 1, ends[1]! + 1);
  const across = scaleLinear().domain(ends).range([0, width]);
  const up = scaleLinear()
    .domain(look.domain.map((value) => value - classes.offsets[at]!))
    .range([height - ROOM * ratio, ROOM * ratio]);
  const palette = plainPalette(look.dark ? "dark" : "light");
  const x = grid.map((value) => across(value));
  const [zero, slope] = [up(0), up(1) - up(0)];
  const lines = {
    nLines,
    nPoints: nGrid,
    x,
    y: classes.values[at]!.map((value) => zero + slope * value),
    opacity: new Float32Array(nLines * Math.max(0, nGrid - 1)).fill(hasLevels(kind) ? 0.4 : 1),
    color: new Float32Array(nLines),
  };
  const order = Uint32Array.from({ length: nLines }, (_, line) => line);
  const style = { width, height, thickness: ratio, strength: lineStrength(nLines), palette };
  pen.putImageData(new LineRaster(width, height).draw(lines, style, order), 0, 0);
  const stroke = (y: (point: number) => number, color: string, thick: number): void => {
    pen.beginPath();
    for (let point = 0; point < nGrid; point++) pen.lineTo(x[point]!, y(point));
    if (hasLevels(kind)) for (let k = 0; k < nGrid; k++) pen.rect(x[k]! - thick, y(k) - thick, 2 * thick, 2 * thick);
    Object.assign(pen, { strokeStyle: color, lineWidth: thick * ratio, lineJoin: "round" });
    pen.stroke();
  };
  const style_ = getComputedStyle(canvas);
  for (const row of look.selection) {
    const line = classes.positions.indexOf(row);
    if (line !== -1) stroke((point) => lines.y[line * nGrid + point]!, look.pick || cssColor(palette, 0), 1.5);
  }
  const mean = (point: number) => zero + slope * classes.means[at]![point]!;
  stroke(mean, style_.backgroundColor, 4);
  stroke(mean, style_.color, 1.5);
}
