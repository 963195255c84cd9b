/** The heat map of two features, in the place of the curves: the partial dependence on both, and where data are. */
import { computed, type ReadonlySignal, signal } from "@preact/signals-core";
import { isDiverging } from "../../plot/geometry/palette.ts";
import { bottomAxis, fitted, leftAxis, levelAxis } from "../../plot/marks/axis.ts";
import { rampLegend } from "../../plot/marks/legend.ts";
import type { Progress } from "../../state/feed.ts";
import type { Pair } from "../../state/joint.ts";
import { unitOf } from "../../text/dates.ts";
import { explanation } from "../../text/glossary.ts";
import { count, number, percent, plural } from "../../text/numbers.ts";
import { html, setText, svg, update } from "../../ui/element.ts";
import { explained } from "../../ui/explained.ts";
import { icon } from "../../ui/icons.ts";
import { fitMarks, markLayer } from "../../ui/layers.ts";
import { listen } from "../../ui/lifetime.ts";
import { pushButton } from "../../ui/push_button.ts";
import { followSize, type Size } from "../../view/size.ts";
import type { View } from "../../view/view.ts";
import type { TwoWay } from "../../wire/protocol.ts";
import { boxOf, type Cell, cellAt, type HeatPlot, heatPlotOf, indexOf } from "./heat_plot.ts";
import { paintHeat } from "./painter.ts";

const LEAST_WIDTH = 80;

export function pairPanel(view: View): HTMLElement {
  return new PairPanel(view).panel;
}

class PairPanel {
  readonly panel: HTMLElement;
  readonly #canvas = html("canvas", { class: "ice-layer", "aria-hidden": "true", "data-test": "heat-cells" });
  readonly #axes = markLayer();
  readonly #ring = markLayer();
  readonly #frame = html(
    "div",
    {
      class: "ice-heat",
      tabindex: 0,
      role: "group",
      "aria-roledescription": "heat map",
      "data-test": "heat",
    },
    this.#canvas,
    this.#axes,
    this.#ring,
  );
  readonly #title = html("h3", { class: "ice-title", "data-test": "pair-title" });
  readonly #sentence = html("p", { class: "ice-sentence", "data-test": "pair-sentence" });
  readonly #back = pushButton({ class: "ice-button", "data-test": "pair-back" }, icon("before"), "Back to curves");
  readonly #vertical = html("span", { class: "ice-y-title", "data-test": "heat-y-title" });
  readonly #horizontal = html("span", { class: "ice-x-title", "data-test": "heat-x-title" });
  readonly #legend = html("div", { class: "ice-legend", role: "group", "aria-label": "Colours" });
  readonly #bare = keyItem("bare", "no observation near");
  readonly #message = html("p", { class: "ice-message-text", "aria-live": "polite", "data-test": "pair-message" });
  readonly #bar = html("progress", { class: "ice-progress", "aria-label": "Heat map computed", max: 1 });
  readonly #retry = pushButton({ class: "ice-button", "data-test": "pair-retry" }, "Try again");
  readonly #cover = html("div", { class: "ice-message" }, this.#message, this.#bar, this.#retry);
  readonly #size: ReadonlySignal<Size>;
  readonly #twoWay = computed(() => this.view.store.joint.twoWay.value?.body ?? null);
  readonly #plot = computed(() => {
    const [twoWay, size] = [this.#twoWay.value, this.#size.value];
    return twoWay === null || size.width < LEAST_WIDTH ? null : heatPlotOf(twoWay, size, this.view.theme.value);
  });
  /** The cell under the pointer, or the one that the arrow keys reached. */
  readonly #pointed = signal<Cell | null>(null);

  constructor(private readonly view: View) {
    this.#size = followSize(this.#frame, view.aborted);
    this.#axes.dataset.test = "heat-axes";
    const term = explained(html("span", {}, "partial dependence"), explanation("two_way"));
    const key = html(
      "p",
      { class: "ice-key" },
      html("span", { class: "ice-key-item" }, term),
      keyItem("observation", "observation"),
      this.#bare,
    );
    this.panel = html(
      "section",
      { class: "ice-panel ice-pair", "aria-label": "Heat map of two features", "data-test": "pair-panel" },
      html(
        "header",
        { class: "ice-head" },
        html("div", { class: "ice-title-row" }, this.#title, this.#back),
        this.#sentence,
      ),
      html("div", { class: "ice-plot-titles" }, this.#vertical),
      html("div", { class: "ice-stage" }, this.#frame, this.#cover),
      html("div", { class: "ice-plot-titles" }, key, this.#horizontal),
      this.#legend,
    );
    this.#keepWords();
    this.#keepPlot();
    this.#listen();
  }

  #keepWords(): void {
    const { store, keep } = this.view;
    keep(
      () => [store.pair.value, store.joint.twoWay.value, store.outputName.value] as const,
      ([pair, progress, output]) => {
        if (pair === null || progress === null) return;
        const { state, share, body: twoWay } = progress;
        this.panel.dataset.state = state;
        setText(this.#title, `${pair.first} × ${pair.second}`);
        setText(this.#sentence, twoWay === null ? "" : sentenceOf(twoWay, output));
        this.#frame.hidden = this.#legend.hidden = twoWay === null;
        this.#cover.hidden = state === "ready";
        this.#retry.hidden = state !== "error" || !store.client.hasKernel;
        this.#bar.hidden = state !== "computing";
        update(this.#bar, { value: share });
        setText(this.#message, messageOf(pair, progress));
      },
    );
  }

  #keepPlot(): void {
    const { store, theme, keep } = this.view;
    keep(
      () => [this.#plot.value, theme.value, store.outputName.value] as const,
      ([plot, shown, output]) => {
        this.#pointed.value = null;
        const pen = this.#canvas.getContext("2d");
        if (plot === null || pen === null) return;
        paintHeat(pen, plot, shown);
        this.#drawAxes(plot, shown.font);
        this.#drawLegend(plot, output);
        const { first, second } = plot.twoWay;
        const label = `${first.feature} across, ${second.feature} up. Arrow keys go from one pair of values to the next.`;
        update(this.#frame, { "aria-label": label });
      },
    );
    keep(
      () => [this.#pointed.value, this.#plot.value] as const,
      ([cell, plot]) => {
        if (plot === null) return;
        fitMarks(this.#ring, plot.size);
        this.#ring.replaceChildren(...(cell === null ? [] : ringsOf(plot, cell)));
      },
    );
  }

  #drawAxes(plot: HeatPlot, font: string): void {
    const { x, y, left, right, bottom, size } = plot;
    fitMarks(this.#axes, size);
    const under =
      plot.levelLabels === null
        ? bottomAxis(x.ticks, left, right, size.width, bottom, font)
        : levelAxis(x.ticks, plot.levelLabels, left, right, bottom, font);
    const ticks = y.ticks.map(({ at, label }) => ({ at, label: fitted(label, left - 12, font) }));
    this.#axes.replaceChildren(leftAxis(ticks, left, left), under);
    setText(this.#vertical, `↑ ${axisTitle(plot.twoWay.second)}`);
    setText(this.#horizontal, `${axisTitle(plot.twoWay.first)} →`);
  }

  #drawLegend({ twoWay, palette, domain }: HeatPlot, output: string): void {
    const scale = {
      column: output,
      kind: "continuous",
      of: "numeric",
      domain,
      median: 0,
      levels: null,
      clock: [],
    } as const;
    this.#legend.replaceChildren(...rampLegend({ ...scale, domain: [...domain], levels: null, clock: [] }, palette, 0));
    this.#legend.dataset.diverging = String(isDiverging(domain));
    this.#bare.hidden = twoWay.near.every((n) => n > 0);
  }

  #listen(): void {
    const { store, aborted } = this.view;
    listen(this.#back, aborted, { click: () => store.closePair() });
    listen(this.#retry, aborted, { click: () => store.joint.retryPair() });
    listen(this.#frame, aborted, {
      pointermove: ({ clientX, clientY }) => {
        const plot = this.#plot.peek();
        const { left, top } = this.#frame.getBoundingClientRect();
        const cell = plot === null ? null : cellAt(plot, clientX - left, clientY - top);
        if (cell === null) this.#leave();
        else this.#show(cell, false);
      },
      pointerleave: () => this.#leave(),
      blur: () => this.#leave(),
      keydown: (event) => {
        if (this.#press(event.key)) event.preventDefault();
      },
    });
  }

  #show(cell: Cell, isSpoken: boolean): void {
    const plot = this.#plot.peek();
    if (plot === null) return;
    this.#pointed.value = cell;
    const { x, y, twoWay } = plot;
    const at = indexOf(plot, cell);
    const near = twoWay.near[at]!;
    const frame = this.#frame.getBoundingClientRect();
    const box = boxOf(plot, cell);
    const anchor = new DOMRect(frame.left + box.left, frame.top + box.top, box.width, box.height);
    const rows = [
      { label: y.of.feature, value: y.write(y.of.grid[cell.j]!) },
      { label: this.view.store.outputName.peek(), value: number(twoWay.values[at]!) },
      { label: "observations near", value: `${count(near)} of ${count(twoWay.n_observations)}` },
    ];
    const note = near === 0 ? "No observation is like this: the model extrapolates." : null;
    this.view.tooltip.show(`${x.of.feature} ${x.write(x.of.grid[cell.i]!)}`, rows, anchor, isSpoken, note);
  }

  #leave(): void {
    if (this.#pointed.peek() === null) return;
    this.#pointed.value = null;
    this.view.tooltip.hide();
  }

  /** What a key does; whether it does anything. */
  #press(key: string): boolean {
    const plot = this.#plot.peek();
    const cell = this.#pointed.peek();
    const step = { ArrowRight: [1, 0], ArrowLeft: [-1, 0], ArrowUp: [0, 1], ArrowDown: [0, -1] }[key];
    if (key === "Escape") {
      if (cell === null) return false;
      this.#leave();
      return true;
    }
    if (plot === null || step === undefined) return false;
    const [n, m] = [plot.twoWay.first.grid.length, plot.twoWay.second.grid.length];
    const within = (value: number, last: number): number => Math.min(Math.max(value, 0), last);
    const next =
      cell === null
        ? { i: Math.floor(n / 2), j: Math.floor(m / 2) }
        : { i: within(cell.i + step[0]!, n - 1), j: within(cell.j + step[1]!, m - 1) };
    this.#show(next, true);
    return true;
  }
}

/** The edge of a cell, with paper around it. */
function ringsOf(plot: HeatPlot, cell: Cell): SVGElement[] {
  const { left: x, top: y, width, height } = boxOf(plot, cell);
  return [
    svg("rect", { x, y, width, height, class: "ice-heat-case" }),
    svg("rect", { x, y, width, height, class: "ice-heat-ring", "data-test": "heat-ring" }),
  ];
}

function keyItem(mark: string, name: string): HTMLElement {
  return html(
    "span",
    { class: "ice-key-item", "data-test": `key-${mark}` },
    html("i", { class: `ice-key-${mark}` }),
    name,
  );
}

const axisTitle = ({ feature, kind, grid }: TwoWay["first"]): string =>
  kind === "timedelta" ? `${feature} (${unitOf(grid).name})` : feature;

function sentenceOf({ first, second, n_rows: nRows, n_observations: nObservations }: TwoWay, output: string): string {
  const rows = nRows < nObservations ? `${count(nRows)} of ${plural(nObservations, "row")}` : plural(nRows, "row");
  return `Mean ${output} with ${first.feature} and ${second.feature} replaced, over ${rows}.`;
}

function messageOf({ first, second }: Pair, progress: Progress<TwoWay>): string {
  if (progress.state === "error") return progress.message;
  const { share } = progress;
  return `Computing ${first} × ${second} …${share > 0 ? ` ${percent(share)}` : ""}`;
}
