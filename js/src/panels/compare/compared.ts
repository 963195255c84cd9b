/** One of the plots that are compared: that of the open feature, or of another one. */
import { signal } from "@preact/signals-core";
import { featureAxisTitle, valueTitle } from "../../plot/axis_titles.ts";
import { linesOf } from "../../plot/selected.ts";
import { SmallPicture } from "../../plot/small_picture.ts";
import type { SmallPlot } from "../../plot/small_plot.ts";
import type { Shelf } from "../../state/curve_queue.ts";
import type { Hidden } from "../../state/filters.ts";
import type { RankedFeature } from "../../state/ranking.ts";
import type { Reading } from "../../state/reading.ts";
import { explanation, variantsOf } from "../../text/glossary.ts";
import { count } from "../../text/numbers.ts";
import { drawnKind } from "../../text/values.ts";
import { html, setText, update } from "../../ui/element.ts";
import { explained, hinted } from "../../ui/explained.ts";
import { pushButton } from "../../ui/push_button.ts";
import type { Kind } from "../../wire/protocol.ts";

const NOTHING = new Uint32Array(0);

/** Which curves a plot shows. */
export interface ShownLines {
  rows: ReadonlySet<number>;
  hidden: Hidden;
  /** The selected rows, where they are too many for strokes. */
  many: ReadonlySet<number> | null;
}

export class Compared {
  readonly picture = new SmallPicture();
  readonly open = pushButton({ class: "ice-compared-name", "data-test": "compared-name" });
  readonly remove = pushButton({ class: "ice-compared-remove", "data-test": "compared-remove" }, "×");
  readonly #message = html("p", { class: "ice-small-message", "data-test": "compared-message" });
  readonly #valueTitle = html("p", { class: "ice-compared-title", "data-test": "compared-y-title" });
  readonly #axisTitle = html("p", { class: "ice-compared-title ice-compared-axis" });
  readonly #impact = html("b");
  readonly #impactName = html("span", {}, "impact");
  readonly #rank = explained(html("span", {}), explanation("rank"));
  readonly #facts = html(
    "p",
    { class: "ice-compared-title", "data-test": "compared-facts" },
    html("span", { class: "ice-fact" }, this.#impactName, " ", this.#impact),
    " · ",
    this.#rank,
  );
  /** The picture, and the brush over it; focusable, so that the focus stays here when a brush with the focus goes. */
  readonly body = html("div", { class: "ice-small-body", tabindex: -1 }, this.picture.node, this.#message);
  readonly node = html(
    "div",
    { class: "ice-compared", role: "group", "data-test": "compared" },
    html("div", { class: "ice-compared-head" }, this.open, this.remove),
    this.#facts,
    this.#valueTitle,
    this.body,
    this.#axisTitle,
  );
  readonly plot = signal<SmallPlot | null>(null);
  name = "";
  /** The curves that the open feature shows, too; a fair sample in every prefix. */
  order = NOTHING;
  /** The same curves, to be looked up. */
  drawn: ReadonlySet<number> = new Set();
  /** Those of them that are selected, where they are too many for strokes. */
  selected: Uint32Array = NOTHING;

  constructor(isOpen: boolean) {
    this.node.classList.toggle("ice-compared-open", isOpen);
    this.remove.hidden = isOpen;
  }

  show(name: string): void {
    this.name = name;
    update(this.node, { "aria-label": name, "data-feature": name });
    setText(this.open, name);
    hinted(this.open, `Open ${name}.`);
    const label = `Remove ${name} from the comparison`;
    update(this.remove, { "aria-label": label });
    hinted(this.remove, label);
  }

  /** Impact and rank. */
  drawFacts(feature: RankedFeature | undefined, nFeatures: number, reading: Reading | null): void {
    const value = feature === undefined ? Number.NaN : (reading?.get(feature.index, "impact") ?? Number.NaN);
    // An empty line keeps the plots side by side.
    this.#facts.style.visibility = Number.isFinite(value) && feature?.known ? "visible" : "hidden";
    if (feature === undefined || reading === null) return;
    setText(this.#impact, reading.column(value)(value));
    explained(this.#impactName, explanation("impact", ...variantsOf(feature.kind, reading.figures.header.convention)));
    const rank = `rank ${count(feature.rank)} of ${count(nFeatures)}${feature.mayMove ? " so far" : ""}`;
    setText(this.#rank, Number.isFinite(feature.value) ? rank : "");
  }

  /** The axes and their titles; without a plot, the message that is shown instead. */
  drawPlot(plot: SmallPlot | undefined, { rows, hidden, many }: ShownLines, output: string): void {
    this.plot.value = plot ?? null;
    this.picture.node.hidden = plot === undefined;
    this.#message.hidden = plot !== undefined;
    this.#drawTitles(plot, output);
    if (plot === undefined) return;
    const { scene, lines } = plot;
    if (this.picture.plot !== plot) this.picture.draw(plot);
    this.order = plot.order.filter(
      (line) => rows.has(scene.curves.positions[line]!) && !hidden.has(lines.color[line]!),
    );
    this.drawn = new Set(this.order);
    this.selected = many === null ? NOTHING : linesOf({ scene, order: this.order }, many);
  }

  /** Why there is no plot. */
  explain(feature: RankedFeature | undefined, shelved: ReturnType<Shelf["get"]>, kind: Kind): void {
    const isKnown = feature?.known ?? false;
    const isDefined = feature === undefined || drawnKind(kind, feature.kind) === kind;
    const problem = shelved.state === "error" ? shelved.message : "…";
    update(this.#message, { "data-state": shelved.state === "error" && isKnown ? "error" : null });
    const reason = isDefined ? problem : "Levels without an order have no slopes.";
    setText(this.#message, isKnown ? reason : "Not computed yet.");
  }

  #drawTitles(plot: SmallPlot | undefined, output: string): void {
    if (plot === undefined) {
      setText(this.#valueTitle, "");
      setText(this.#axisTitle, "");
      return;
    }
    const { scene, ticks } = plot;
    const value = `↑ ${valueTitle(scene, output)}${ticks?.exponent ? ` (${ticks.exponent})` : ""}`;
    setText(this.#valueTitle, value);
    this.#valueTitle.title = value;
    setText(this.#axisTitle, scene.onLevels ? featureAxisTitle(scene) : `${featureAxisTitle(scene)} →`);
  }

  /** Paints a share of the curves; returns how many these were, and what that took, in ms. */
  paint(decay: number, share: number): { lines: number; ms: number } {
    const order = this.order.subarray(0, Math.ceil(share * this.order.length));
    const selected = this.selected.subarray(0, Math.ceil(share * this.selected.length));
    const ms = this.picture.paint(decay, order, this.order.length) + this.picture.paintSelected(decay, selected);
    return { lines: order.length + selected.length, ms };
  }
}
