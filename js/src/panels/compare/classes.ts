/** The open feature for every class of a classifier: small pictures of the same rows on one value axis. */

import { extent } from "d3-array";
import { cssColor, plainPalette } from "../../plot/geometry/palette.ts";
import { LineRaster, lineStrength } from "../../plot/geometry/raster.ts";
import { type Scale, scaleLinear } from "../../plot/marks/scale.ts";
import { followClasses } from "../../state/class_curves.ts";
import type { Store } from "../../state/store.ts";
import { columnFormat } from "../../text/numbers.ts";
import { hasLevels } from "../../text/values.ts";
import { html, setText, update } from "../../ui/element.ts";
import { listen } from "../../ui/lifetime.ts";
import { scrollBehavior } from "../../ui/move_to.ts";
import type { View } from "../../view/view.ts";
import type { ClassesBody } from "../../wire/protocol.ts";

/** Height of a picture, and the room over and under its lines, in px. */
const HEIGHT = 72;
const ROOM = 3;

export function classesPanel(view: View): HTMLElement {
  const { store, theme, aborted, keep } = view;
  const { hasKernel } = store.client;
  const picture = followClasses(store, aborted);
  const title = html("span", { class: "ice-classes-title" });
  const more = html("span", { class: "ice-classes-more", "data-test": "classes-more" });
  const message = html("p", { class: "ice-classes-message", role: "status", "data-test": "classes-message" });
  const [high, low] = [html("span"), html("span")];
  const scale = html("div", { class: "ice-classes-scale", "aria-hidden": "true" }, high, low);
  const cards = html("div", { class: "ice-classes-cards", role: "group", "aria-label": "Classes" });
  const row = html("div", { class: "ice-classes-row" }, scale, cards);
  const head = html("p", { class: "ice-classes-head" }, title, more);
  const attributes = { class: "ice-classes", "aria-label": "All classes", "data-test": "classes", hidden: true };
  const panel = html("section", attributes, head, message, row);
  listen(cards, aborted, {
    click: (event) => {
      const card = (event.target as Element).closest<HTMLElement>("[data-output]");
      if (card !== null && hasKernel) store.setOutput(card.dataset.output!);
    },
  });
  const reveal = revealing(panel, store);
  keep(
    () => [picture.value, theme.value.dark, store.selection.value, store.output.value] as const,
    ([shown, dark, selection, output]) => {
      panel.hidden = shown.state === "off";
      panel.dataset.state = shown.state;
      const classes = shown.state === "ready" ? shown.classes : shown.state === "loading" ? shown.previous : null;
      const waiting = shown.state === "loading" && classes === null ? "Computing every class …" : "";
      setText(message, shown.state === "error" ? shown.message : waiting);
      message.hidden = message.textContent === "";
      row.hidden = classes === null;
      if (classes === null) return;
      const { outputs, n_outputs: nOutputs, feature } = classes;
      setText(title, `${feature} for every class`);
      setText(more, outputs.length < nOutputs ? `the ${outputs.length} most probable of ${nOutputs}` : "");
      const domain = domainOf(classes);
      const write = columnFormat(Math.max(...domain.map(Math.abs)));
      setText(low, write(domain[0]));
      setText(high, write(domain[1]));
      const pick = getComputedStyle(panel).getPropertyValue("--ice-pick");
      drawCards(cards, classes, { domain, dark, selection, pick }, { output, hasKernel });
      reveal(shown.state === "ready");
    },
  );
  return panel;
}

/** Returns a function that scrolls to the pictures after they were chosen, because they are below the plot. */
function revealing(panel: HTMLElement, { remembered }: Store): (isReady: boolean) => void {
  const chosen = remembered.of("classes");
  let wasChosen = chosen.peek();
  let isNew = false;
  return (isReady) => {
    if (chosen.peek() !== wasChosen) [wasChosen, isNew] = [chosen.peek(), chosen.peek()];
    if (!isNew || !isReady) return;
    isNew = false;
    panel.scrollIntoView({ block: "nearest", behavior: scrollBehavior() });
  };
}

/** A card for each class; that of the explained output is marked. */
function drawCards(
  cards: HTMLElement,
  classes: ClassesBody,
  look: Look,
  { output, hasKernel }: { output: string; hasKernel: boolean },
): void {
  const { outputs } = classes;
  if (!sameCards(cards, classes)) cards.replaceChildren(...outputs.map((each) => cardOf(each, hasKernel)));
  for (const [place, card] of Array.from(cards.children).entries()) {
    const isOpen = outputs[place] === output;
    update(card, { "data-open": isOpen, "aria-pressed": hasKernel ? String(isOpen) : null });
    draw(card.querySelector("canvas")!, classes, place, look);
  }
}

const sameCards = (cards: Element, { outputs }: ClassesBody): boolean =>
  JSON.stringify(Array.from(cards.children, (card) => (card as HTMLElement).dataset.output)) ===
  JSON.stringify(outputs);

/** With a kernel, a button that explains its class. */
function cardOf(output: string, canExplain: boolean): HTMLElement {
  return html(
    canExplain ? "button" : "div",
    { type: canExplain ? "button" : null, class: "ice-class", "data-output": output, "data-test": "class" },
    html("span", { class: "ice-class-name", title: output }, output),
    html("canvas", { class: "ice-class-picture", "aria-hidden": "true" }),
  );
}

/** Lowest and highest prediction of any class. */
function domainOf({ values, offsets }: ClassesBody): [number, number] {
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

function draw(canvas: HTMLCanvasElement, classes: ClassesBody, place: number, look: Look): void {
  const ratio = window.devicePixelRatio || 1;
  const [width, height] = [Math.max(1, Math.round(canvas.clientWidth * ratio)), Math.round(HEIGHT * ratio)];
  Object.assign(canvas, { width, height });
  const pen = canvas.getContext("2d");
  if (pen === null) return;
  const { n_lines: nLines, n_grid: nGrid, kind, positions, offsets, means } = classes;
  const across = acrossOf(classes, width);
  const x = classes.grid.map((value) => across(value));
  const up = scaleLinear(look.domain.map((value) => value - offsets[place]!) as [number, number], [
    height - ROOM * ratio,
    ROOM * ratio,
  ]);
  const [zero, slope] = [up(0), up(1) - up(0)];
  const toPx = (value: number) => zero + slope * value;
  const y = classes.values[place]!.map(toPx);
  const opacity = new Float32Array(nLines * Math.max(0, nGrid - 1)).fill(hasLevels(kind) ? 0.4 : 1);
  const palette = plainPalette(look.dark ? "dark" : "light");
  const lines = { nLines, nPoints: nGrid, x, y, opacity, color: new Float32Array(nLines) };
  const style = { width, height, thickness: ratio, strength: lineStrength(nLines), palette };
  const order = Uint32Array.from({ length: nLines }, (_, line) => line);
  pen.putImageData(new LineRaster(width, height).draw(lines, style, order), 0, 0);
  const curve = { x, hasDots: hasLevels(kind), ratio };
  for (const row of look.selection) {
    const line = positions.indexOf(row);
    const heights = y.subarray(line * nGrid, (line + 1) * nGrid);
    if (line !== -1) stroke(pen, { ...curve, y: heights }, look.pick || cssColor(palette, 0), 1.5);
  }
  const mean = { ...curve, y: means[place]!.map(toPx) };
  const { backgroundColor, color } = getComputedStyle(canvas);
  stroke(pen, mean, backgroundColor, 4);
  stroke(pen, mean, color, 1.5);
}

/** The scale of the feature. */
function acrossOf({ grid, n_grid: nGrid, kind }: ClassesBody, width: number): Scale {
  const room = hasLevels(kind) ? 0.5 : 0;
  const [low, high] = [grid[0]! - room, grid[nGrid - 1]! + room];
  return scaleLinear(low === high ? [low - 1, high + 1] : [low, high], [0, width]);
}

/** A curve, in px of the canvas. */
interface Stroke {
  x: ArrayLike<number>;
  y: ArrayLike<number>;
  hasDots: boolean;
  ratio: number;
}

function stroke(pen: CanvasRenderingContext2D, { x, y, hasDots, ratio }: Stroke, color: string, width: number): void {
  pen.beginPath();
  for (let k = 0; k < x.length; k++) pen.lineTo(x[k]!, y[k]!);
  if (hasDots) for (let k = 0; k < x.length; k++) pen.rect(x[k]! - width, y[k]! - width, 2 * width, 2 * width);
  Object.assign(pen, { strokeStyle: color, lineWidth: width * ratio, lineJoin: "round" });
  pen.stroke();
}
