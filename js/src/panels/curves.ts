/** The lines of the open feature. Curves come from the kernel once; everything that moves afterwards is drawn here. */
import { batch, computed, signal } from "@preact/signals-core";
import { columnFormat, count, number } from "../format.ts";
import { cssColor } from "../geometry/palette.ts";
import { nearestLine } from "../geometry/pick.ts";
import { LineRaster } from "../geometry/raster.ts";
import { bottomAxis, leftAxis, rightAxis } from "../marks/axis.ts";
import { drawDots } from "../marks/dots.ts";
import { html, setText, svg, update } from "../marks/element.ts";
import { histogram } from "../marks/histogram.ts";
import { levelsLegend, rampLegend } from "../marks/legend.ts";
import { bandPath, haloed, linePath } from "../marks/paths.ts";
import type { TooltipRow } from "../marks/tooltip.ts";
import type { Kind } from "../protocol.ts";
import type { Loaded, Picture } from "../store.ts";
import type { View } from "../view.ts";
import { Fade, type Plot, plotOf, type Size } from "./plot.ts";
import { sceneOf } from "./scene.ts";

/** What a frame may cost while the slider moves. */
const BUDGET_MS = 8;
/** The slider rests when it has not moved for so long: all lines are drawn. */
const REST_MS = 120;
/** How near to a line the pointer must be, in px. */
const REACH = 24;
/** A live region that speaks at every step of the slider would never stop. */
const SUMMARY_MS = 600;

function loadedOf(picture: Picture): Loaded | null {
  if (picture.state === "ready") return picture.loaded;
  return picture.state === "loading" ? picture.previous : null;
}

function valueTitle(kind: Kind, output: string, feature: string, anchor: string): string {
  switch (kind) {
    case "ice":
      return output;
    case "c-ice":
      return `change in ${output} from ${anchor}`;
    case "d-ice":
      return `slope: change in ${output} per unit of ${feature}`;
  }
}

/** What the picture currently shows of the store, or null where there is nothing to draw. */
function shownSignals(view: View, size: { value: Size }) {
  const { store, theme } = view;
  const loaded = computed(() => loadedOf(store.picture.value));
  const scene = computed(() => {
    const curves = loaded.value?.curves;
    return curves === undefined ? null : sceneOf(curves, store.kind.value, store.anchor.value);
  });
  const plot = computed(() => {
    if (scene.value === null || loaded.value === null || size.value.width < 80) return null;
    const { curves, colors } = loaded.value;
    const kind = store.figures.value?.header.features.find(({ name }) => name === curves.feature)?.kind ?? "numeric";
    return plotOf(scene.value, colors, kind, size.value, theme.value);
  });
  return { loaded, plot };
}

export function curvesPanel(view: View, controls: HTMLElement): HTMLElement {
  const { store, aborted } = view;
  const size = signal<Size>({ width: 0, height: 0, ratio: 1 });
  const { loaded, plot } = shownSignals(view, size);

  const title = html("h3", { class: "ice-title", "data-test": "feature-title" });
  const facts = html("p", { class: "ice-facts", "data-test": "facts" });
  const yTitle = html("span", { class: "ice-y-title", "data-test": "y-title" });
  const rangeTitle = html(
    "span",
    { class: "ice-range-title", "data-test": "range-title" },
    "share of prediction range →",
  );
  const xTitle = html("span", { class: "ice-x-title", "data-test": "x-title" });
  const back = svg("svg", { class: "ice-layer", "aria-hidden": "true" });
  const linesCanvas = html("canvas", { class: "ice-layer", "data-test": "curves-canvas", "aria-hidden": "true" });
  const dotsCanvas = html("canvas", { class: "ice-layer", "aria-hidden": "true" });
  const front = svg("svg", { class: "ice-layer", "aria-hidden": "true" });
  const frame = html(
    "div",
    { class: "ice-plot", tabindex: 0, role: "group", "aria-roledescription": "line chart", "data-test": "plot" },
    back,
    linesCanvas,
    dotsCanvas,
    front,
  );
  const legend = html("div", { class: "ice-legend", "data-test": "legend" });
  const key = html(
    "p",
    { class: "ice-key" },
    html(
      "span",
      { class: "ice-key-item" },
      html("i", { class: "ice-key-mean" }),
      "partial dependence ± 1 SD of the lines",
    ),
    html("span", { class: "ice-key-item" }, html("i", { class: "ice-key-dot" }), "own value"),
  );
  const message = html("p", { class: "ice-message-text", "data-test": "curves-message" });
  const retry = html("button", { type: "button", class: "ice-button", "data-test": "retry" }, "Try again");
  const cover = html("div", { class: "ice-message" }, message, retry);
  const summary = html("p", { class: "ice-hidden", "aria-live": "polite", "data-test": "summary" });
  const panel = html(
    "section",
    { class: "ice-panel ice-curves", "aria-label": "Curves of the open feature", "data-test": "curves" },
    html("header", { class: "ice-head" }, title, facts),
    controls,
    html("div", { class: "ice-plot-titles" }, yTitle, rangeTitle),
    html("div", { class: "ice-stage" }, frame, cover),
    html("div", { class: "ice-plot-titles" }, key, xTitle),
    legend,
    summary,
  );
  retry.addEventListener("click", () => store.retry(), { signal: aborted });

  followSize(view, frame, size);
  drawState();
  drawFacts();
  drawTitles();
  drawAxes();
  drawLines();
  drawDotLayer();
  drawMarked();
  drawLegend();
  drawSummary();
  listen();
  return panel;

  function drawState(): void {
    view.keep(
      () => ({ picture: store.picture.value, status: store.status.value, figures: store.figures.value }),
      ({ picture, status, figures }) => {
        panel.dataset.state = picture.state;
        frame.hidden = loadedOf(picture) === null;
        cover.hidden = picture.state === "ready";
        retry.hidden = picture.state !== "error";
        message.toggleAttribute("role", false);
        switch (picture.state) {
          case "empty":
            setText(
              message,
              figures !== null && status.state === "computing"
                ? "The first curves appear here in a moment. Choose a feature to see it sooner."
                : "Choose a feature to see its curves.",
            );
            break;
          case "loading":
            setText(message, `Computing the curves of ${picture.feature} …`);
            break;
          case "error":
            message.setAttribute("role", "alert");
            setText(message, picture.message);
            break;
          case "ready":
            setText(message, "");
        }
      },
    );
  }

  function drawFacts(): void {
    view.keep(
      () => ({
        opened: store.opened,
        feature: store.feature.value,
        figures: store.figures.value,
        decay: store.decay.value,
      }),
      ({ opened, feature, figures }) => {
        setText(title, feature === "" ? "No feature chosen" : feature);
        title.title = feature;
        if (opened === null || figures === null || !Number.isFinite(figures.impact.get(opened.index, "impact"))) {
          facts.replaceChildren();
          return;
        }
        const of = (metric: string) => figures.impact.get(opened.index, metric);
        const write = columnFormat(of("impact"));
        const shown: [string, number][] = [
          ["impact", of("impact")],
          ["in distribution", figures.profile.inDistributionImpact(opened.index, store.decay.peek())],
          ["heterogeneity", of("heterogeneity")],
          ["non-linearity", of("non_linearity")],
        ];
        facts.replaceChildren(
          ...shown.map(([name, value]) => html("span", { class: "ice-fact" }, `${name} `, html("b", {}, write(value)))),
        );
      },
    );
  }

  function drawTitles(): void {
    view.keep(
      () => ({ plot: plot.value, output: store.figures.value?.header.output_label ?? "", anchor: store.anchor.value }),
      ({ plot: shown, output, anchor }) => {
        if (shown === null) return;
        const { scene } = shown;
        const { feature } = scene.curves;
        const from = anchor === "own" ? "its own value" : `${feature} = ${number(scene.anchoredAt ?? Number.NaN)}`;
        setText(yTitle, `↑ ${valueTitle(scene.kind, output, feature, from)}`);
        setText(xTitle, `${feature} →`);
        rangeTitle.hidden = shown.rangeTicks.length === 0;
        setText(rangeTitle, "share of prediction range ↑");
        update(frame, {
          "aria-label": `${feature}: ${count(scene.curves.nLines)} lines. Arrow keys go from line to line, Enter selects, Escape clears.`,
        });
      },
    );
  }

  function drawAxes(): void {
    view.keep(
      () => ({ plot: plot.value, font: view.theme.value.font }),
      ({ plot: shown, font }) => {
        if (shown === null) return;
        const { scene, left, right, top, bottom, axis, x, y, size: box } = shown;
        const { histogramEdges, histogramCounts } = scene.curves;
        for (const layer of [back, front])
          update(layer, { viewBox: `0 0 ${box.width} ${box.height}`, width: box.width, height: box.height });
        back.replaceChildren(
          leftAxis(shown.yTicks, left, right),
          histogram(histogramEdges, histogramCounts, x, axis, axis - bottom - 4),
          bottomAxis(shown.xTicks, left, right, axis, font),
          rightAxis(shown.rangeTicks, right),
        );
        if (scene.kind !== "ice") {
          const zero = y(0);
          back.append(svg("line", { class: "ice-zero", x1: left, x2: right, y1: zero, y2: zero }));
        }
        if (scene.anchoredAt !== null) {
          const at = x(scene.anchoredAt);
          back.append(
            svg("line", { class: "ice-anchor-rule", x1: at, x2: at, y1: top, y2: bottom, "data-test": "anchor-rule" }),
          );
        }
      },
    );
  }

  function drawLines(): void {
    let raster: LineRaster | null = null;
    let fade: Fade | null = null;
    let faded: Plot | null = null;
    let msPerLine = 0;
    let resting: ReturnType<typeof setTimeout> | undefined;
    const rest = signal(0);
    aborted.addEventListener("abort", () => clearTimeout(resting), { once: true });

    view.keep(
      () => ({
        plot: plot.value,
        decay: store.decay.value,
        dragging: store.dragging.value,
        hidden: store.hiddenLevels.value,
        rest: rest.value,
      }),
      ({ plot: shown, decay, dragging, hidden, rest: rested }) => {
        clearTimeout(resting);
        if (shown === null) return;
        const { lines, left, right, bottom, size: box } = shown;
        const width = Math.max(1, Math.round((right - left) * box.ratio));
        const height = Math.max(1, Math.round(bottom * box.ratio));
        if (linesCanvas.width !== width || linesCanvas.height !== height) {
          linesCanvas.width = width;
          linesCanvas.height = height;
        }
        linesCanvas.style.left = `${left}px`;
        linesCanvas.style.width = `${width / box.ratio}px`;
        linesCanvas.style.height = `${height / box.ratio}px`;
        if (raster?.width !== width || raster.height !== height) raster = new LineRaster(width, height);
        if (fade === null || faded !== shown) {
          fade = new Fade(shown);
          faded = shown;
        }
        const all = hidden.size === 0 ? shown.order : shown.order.filter((line) => !hidden.has(lines.color[line]!));
        const affordable = msPerLine > 0 ? Math.max(20, Math.floor(BUDGET_MS / msPerLine)) : all.length;
        const partial = dragging && rested === 0 && affordable < all.length;
        const order = partial ? all.subarray(0, affordable) : all;

        const start = performance.now();
        fade.apply(decay, order);
        // A sample is drawn denser, so that the picture keeps its tone while the slider moves.
        const strength = Math.min(3, (shown.strength * all.length) / Math.max(1, order.length));
        const style = { width, height, thickness: shown.thickness, strength, palette: shown.palette };
        const image = raster.draw(lines, style, order);
        linesCanvas.getContext("2d")?.putImageData(image, 0, 0);
        const spent = performance.now() - start;

        if (order.length > 0)
          msPerLine = msPerLine === 0 ? spent / order.length : 0.7 * msPerLine + (0.3 * spent) / order.length;
        Object.assign(view.root.dataset, {
          feature: shown.scene.curves.feature,
          kind: shown.scene.kind,
          drawnLines: String(order.length),
          frameMs: spent.toFixed(1),
        });
        if (rested > 0) rest.value = 0;
        else if (partial)
          resting = setTimeout(() => {
            rest.value = 1;
          }, REST_MS);
      },
    );
  }

  function drawDotLayer(): void {
    view.keep(
      () => ({ plot: plot.value, hidden: store.hiddenLevels.value, theme: view.theme.value }),
      ({ plot: shown, hidden, theme }) => {
        if (shown === null) return;
        const { scene, lines, palette, x, y, size: box } = shown;
        dotsCanvas.width = Math.round(box.width * box.ratio);
        dotsCanvas.height = Math.round(box.height * box.ratio);
        dotsCanvas.style.width = `${box.width}px`;
        dotsCanvas.style.height = `${box.height}px`;
        const pen = dotsCanvas.getContext("2d");
        if (pen === null) return;
        pen.scale(box.ratio, box.ratio);
        const many = lines.nLines > 200;
        const dots = {
          x: Float32Array.from(scene.curves.observed, (value) => x(value)),
          y: Float32Array.from(scene.own, (value) => y(value)),
          colors: (line: number) => cssColor(palette, lines.color[line]!),
          order: shown.order.filter((line) => !hidden.has(lines.color[line]!)),
          opacity: many ? 0.55 : 0.95,
          radius: many ? 1.5 : 2.5,
        };
        drawDots(pen, dots, theme.paper);
      },
    );
  }

  function drawMarked(): void {
    view.keep(
      () => ({ plot: plot.value, hover: store.hover.value, selection: store.selection.value }),
      ({ plot: shown, hover, selection }) => {
        if (shown === null) {
          view.tooltip.hide();
          return;
        }
        const { scene, lines, palette, x, y, bottom, size: box } = shown;
        const px = scene.x.map((value) => x(value));
        const { nPoints } = lines;
        const pathOf = (line: number) => linePath(px, (point) => lines.y[line * nPoints + point]! / box.ratio);
        const dotOf = (line: number) =>
          svg("circle", { cx: x(scene.curves.observed[line]!), cy: y(scene.own[line]!), r: 3.5 });
        front.replaceChildren(
          svg("path", {
            class: "ice-band",
            d: bandPath(
              px,
              (k) => Math.min(bottom, y(scene.low[k]!)),
              (k) => Math.max(0, y(scene.high[k]!)),
            ),
          }),
          haloed(
            linePath(px, (k) => y(scene.mean[k]!)),
            "ice-mean",
            { "data-test": "partial-dependence" },
          ),
        );
        const drawn = new Map(Array.from(scene.curves.positions, (position, line) => [position, line]));
        for (const position of selection) {
          const line = drawn.get(position);
          if (line === undefined) continue;
          const mark = haloed(pathOf(line), "ice-selected", { "data-test": "selected-line", "data-row": position });
          mark.append(dotOf(line));
          if (loaded.peek()?.colors != null)
            mark.style.setProperty("--ice-line", cssColor(palette, lines.color[line]!));
          front.append(mark);
        }
        if (hover !== null && hover < lines.nLines) {
          const mark = haloed(pathOf(hover), "ice-hovered", {
            "data-test": "hovered-line",
            "data-row": scene.curves.positions[hover]!,
          });
          mark.append(dotOf(hover));
          front.append(mark);
        } else {
          view.tooltip.hide();
        }
      },
    );
  }

  function drawLegend(): void {
    view.keep(
      () => ({ loaded: loaded.value, palette: plot.value?.palette ?? null }),
      ({ loaded: shown, palette }) => {
        legend.replaceChildren();
        const colors = shown?.colors ?? null;
        const problem = shown?.colorProblem ?? null;
        legend.hidden = colors === null && problem === null;
        if (problem !== null)
          legend.append(html("span", { class: "ice-problem", role: "alert", "data-test": "color-problem" }, problem));
        if (colors === null || palette === null) return;
        const nMissing = colors.values.reduce((sum, value) => sum + Number(Number.isNaN(value)), 0);
        const { scale } = colors;
        if (scale.kind === "continuous") legend.append(...rampLegend(scale, palette, nMissing));
        else legend.append(...levelsLegend(scale, palette, nMissing));
      },
    );
    view.keep(
      () => ({ hidden: store.hiddenLevels.value, loaded: loaded.value }),
      ({ hidden }) => {
        for (const level of legend.querySelectorAll<HTMLElement>("[data-level]")) {
          level.setAttribute("aria-pressed", String(!hidden.has(Number(level.dataset.level))));
        }
      },
    );
    legend.addEventListener(
      "click",
      (event) => {
        const level = (event.target as Element).closest<HTMLElement>("[data-level]");
        if (level !== null) store.toggleLevel(Number(level.dataset.level));
      },
      { signal: aborted },
    );
  }

  function drawSummary(): void {
    let timer: ReturnType<typeof setTimeout> | undefined;
    aborted.addEventListener("abort", () => clearTimeout(timer), { once: true });
    view.keep(
      () => ({ plot: plot.value, decay: store.decay.value, opened: store.opened, figures: store.figures.value }),
      ({ plot: shown, decay, opened, figures }) => {
        clearTimeout(timer);
        if (shown === null || opened === null || figures === null) return;
        timer = setTimeout(() => {
          const { curves, mean, base } = shown.scene;
          const impact = figures.impact.get(opened.index, "impact");
          const rank = store.ranking.peek().indexOf(opened) + 1;
          const first = number((mean[0] ?? Number.NaN) + base);
          const last = number((mean[mean.length - 1] ?? Number.NaN) + base);
          const lines = `${curves.feature}: ${count(curves.nLines)} of ${count(curves.nObservations)} observations drawn, from ${number(curves.grid[0]!)} to ${number(curves.grid[curves.grid.length - 1]!)}.`;
          const size = `Impact ${number(impact)}, in distribution ${number(figures.profile.inDistributionImpact(opened.index, decay))} at decay ${number(decay)}, rank ${rank} of ${figures.header.features.length}.`;
          setText(summary, `${lines} ${size} The mean line goes from ${first} to ${last}.`);
        }, SUMMARY_MS);
      },
    );
  }

  function tooltipRows(shown: Plot, line: number, point: number): TooltipRow[] {
    const { scene, lines, palette } = shown;
    const { curves } = scene;
    const rows: TooltipRow[] = [
      { label: curves.feature, value: number(curves.observed[line]!) },
      { label: "prediction", value: number(curves.predictions[line]! + curves.offset) },
      {
        label: `at ${number(scene.x[point]!)}`,
        value: number(scene.values[line * lines.nPoints + point]! + scene.base),
      },
    ];
    const colors = loaded.peek()?.colors;
    if (colors != null) {
      const value = colors.values[line]!;
      const text = colors.scale.kind === "continuous" ? number(value) : (colors.scale.levels[value] ?? "missing");
      const swatch = cssColor(palette, lines.color[line]!);
      rows.push({ label: colors.scale.column, value: Number.isNaN(value) ? "missing" : text, swatch });
    }
    return rows;
  }

  function point(shown: Plot, line: number, at: number, atY: number | null): void {
    const { curves } = shown.scene;
    const x = shown.lines.x;
    let nearest = 0;
    for (let k = 1; k < x.length; k++) if (Math.abs(x[k]! - at) < Math.abs(x[nearest]! - at)) nearest = k;
    const position = curves.positions[line]!;
    const label = curves.rowLabels?.[line];
    const heading = label === undefined ? `Row ${position}` : `${label} (row ${position})`;
    const box = frame.getBoundingClientRect();
    const { ratio } = shown.size;
    const left = box.left + shown.left + at / ratio;
    const top = box.top + (atY ?? shown.lines.y[line * x.length + nearest]!) / ratio;
    batch(() => {
      store.hover.value = line;
    });
    view.tooltip.show(heading, tooltipRows(shown, line, nearest), new DOMRect(left, top, 0, 0));
  }

  function listen(): void {
    const options = { signal: aborted };
    const pick = (event: PointerEvent | MouseEvent): { line: number; x: number; y: number } | null => {
      const shown = plot.peek();
      if (shown === null || store.picture.peek().state !== "ready") return null;
      const box = frame.getBoundingClientRect();
      const { ratio } = shown.size;
      const x = (event.clientX - box.left - shown.left) * ratio;
      const y = (event.clientY - box.top) * ratio;
      const hidden = store.hiddenLevels.peek();
      const lines = hidden.size === 0 ? shown.lines : withoutHidden(shown, hidden);
      const found = nearestLine(lines, x, y, REACH * ratio);
      return found === null ? null : { line: found.line, x, y };
    };
    frame.addEventListener(
      "pointermove",
      (event) => {
        const shown = plot.peek();
        const found = pick(event);
        if (found === null || shown === null) store.hover.value = null;
        else point(shown, found.line, found.x, found.y);
      },
      options,
    );
    frame.addEventListener(
      "pointerleave",
      () => {
        store.hover.value = null;
      },
      options,
    );
    frame.addEventListener(
      "blur",
      () => {
        store.hover.value = null;
      },
      options,
    );
    frame.addEventListener(
      "click",
      (event) => {
        const found = pick(event);
        const shown = plot.peek();
        if (found !== null && shown !== null) store.select(shown.scene.curves.positions[found.line]!, event.shiftKey);
      },
      options,
    );
    frame.addEventListener("keydown", onKey, options);
  }

  function onKey(event: KeyboardEvent): void {
    const shown = plot.peek();
    if (shown === null) return;
    const { curves } = shown.scene;
    const byPrediction = Array.from(curves.positions.keys()).sort(
      (a, b) => curves.predictions[a]! - curves.predictions[b]!,
    );
    const hover = store.hover.peek();
    const steps: Record<string, number> = { ArrowUp: 1, ArrowRight: 1, ArrowDown: -1, ArrowLeft: -1 };
    const step = steps[event.key];
    if (step !== undefined) {
      const place = hover === null ? (step > 0 ? 0 : byPrediction.length - 1) : byPrediction.indexOf(hover) + step;
      const line = byPrediction[Math.min(Math.max(place, 0), byPrediction.length - 1)];
      if (line !== undefined) {
        point(
          shown,
          line,
          (shown.x(curves.observed[line]!) - shown.left) * shown.size.ratio,
          shown.y(shown.scene.own[line]!) * shown.size.ratio,
        );
      }
    } else if ((event.key === "Enter" || event.key === " ") && hover !== null) {
      store.select(curves.positions[hover]!, event.shiftKey);
    } else if (event.key === "Escape") {
      store.hover.value = null;
      store.clearSelection();
    } else {
      return;
    }
    event.preventDefault();
  }
}

/** The same lines with those the legend hides made unpickable. */
function withoutHidden(shown: Plot, hidden: ReadonlySet<number>) {
  const { lines } = shown;
  const y = lines.y.slice();
  for (let line = 0; line < lines.nLines; line++) {
    if (hidden.has(lines.color[line]!)) y.fill(Number.NaN, line * lines.nPoints, (line + 1) * lines.nPoints);
  }
  return { ...lines, y };
}

/** Keeps the size of the plot and the pixel ratio of the screen, which changes with zoom and between screens. */
function followSize(view: View, frame: HTMLElement, size: { value: Size; peek(): Size }): void {
  const { aborted } = view;
  const measure = (): void => {
    const width = Math.floor(frame.clientWidth);
    const height = Math.floor(frame.clientHeight);
    const ratio = window.devicePixelRatio || 1;
    const before = size.peek();
    if (width === 0 || (before.width === width && before.height === height && before.ratio === ratio)) return;
    size.value = { width, height, ratio };
  };
  const observer = new ResizeObserver(measure);
  observer.observe(frame);
  aborted.addEventListener("abort", () => observer.disconnect(), { once: true });
  const followRatio = (): void => {
    const query = matchMedia(`(resolution: ${window.devicePixelRatio}dppx)`);
    const changed = (): void => {
      measure();
      followRatio();
    };
    query.addEventListener("change", changed, { once: true, signal: aborted });
  };
  followRatio();
}
