/** The open feature next to one or two others: the menu that selects them, and their plots. */
import type { ReadonlySignal } from "@preact/signals-core";
import { Pace } from "../../plot/frame_budget.ts";
import { ifChanged } from "../../ui/changed.ts";
import { html, setText } from "../../ui/element.ts";
import { Entry } from "../../ui/entry.ts";
import { listen, react, Timer } from "../../ui/lifetime.ts";
import { pushButton } from "../../ui/push_button.ts";
import type { View } from "../../view/view.ts";
import { Compared, type ShownLines } from "./compared.ts";
import { ComparedPointer } from "./compared_pointer.ts";
import { Comparison, MOST_OTHERS } from "./comparison.ts";

/** Time of a frame for the plots while the slider moves. */
const BUDGET_MS = 8;
/** Time without movement after which the slider rests. */
const REST_MS = 120;

const FULL = "Up to three features can be compared. Remove one first.";

export class ComparePanel {
  readonly #select = html("select", { class: "ice-select", "data-test": "compare" });
  /** The menu that selects the compared feature. */
  readonly choice = new Entry(this.#select, "Compare with", "Shows another feature on the same value axis.").node;
  readonly #title = html("p", { class: "ice-compare-title", "data-test": "compare-title" });
  readonly #close = pushButton({ class: "ice-link", "data-test": "compare-close" }, "Close comparison");
  readonly #items = html("div", { class: "ice-compared-items" });
  /** The plots, in the place of the large one. */
  readonly plots = html(
    "section",
    { class: "ice-comparison", "aria-label": "Compared features", "data-test": "comparison", hidden: true },
    html("div", { class: "ice-compare-head" }, this.#title, this.#close),
    this.#items,
  );
  readonly isComparing: ReadonlySignal<boolean>;
  readonly #comparison: Comparison;
  readonly #places = Array.from({ length: 1 + MOST_OTHERS }, (_, place) => new Compared(place === 0));
  readonly #pace = new Pace(BUDGET_MS);
  readonly #rest: Timer;

  constructor(private readonly view: View) {
    this.#comparison = new Comparison(view, this.#items);
    this.isComparing = this.#comparison.isOn;
    this.#rest = new Timer(view.aborted);
    this.#listen();
    this.#followOpened();
    this.#keepChoice();
    this.#keepPlaces();
    this.#keepPlots();
  }

  #compareWith(names: string[]): void {
    this.view.store.remembered.choose("compared", names);
  }

  /** Compares fewer features; the focus moves to the button that closes the comparison, or to the plot. */
  #reduceTo(names: string[]): void {
    this.#compareWith(names);
    this.view.drawNow();
    const rest = this.plots.hidden ? this.view.root.querySelector<HTMLElement>(".ice-plot") : this.#close;
    rest?.focus({ preventScroll: true });
  }

  #listen(): void {
    const { store, aborted } = this.view;
    const { others } = this.#comparison;
    listen(this.#select, aborted, {
      change: () => {
        if (this.#select.value !== "") this.#compareWith([...others.peek(), this.#select.value]);
      },
    });
    listen(this.#close, aborted, { click: () => this.#reduceTo([]) });
    for (const compared of this.#places) {
      listen(compared.open, aborted, { click: () => store.open(compared.name) });
      listen(compared.remove, aborted, {
        click: () => this.#reduceTo(others.peek().filter((other) => other !== compared.name)),
      });
      new ComparedPointer(this.view, compared);
    }
  }

  /** Where a compared feature is opened, the one that was open takes its place. */
  #followOpened(): void {
    const { store, aborted } = this.view;
    let before = store.feature.peek();
    react(aborted, () => {
      const opened = store.feature.value;
      const names = store.remembered.of("compared").peek();
      if (opened !== before && names.includes(opened)) {
        this.#compareWith(names.flatMap((name) => (name !== opened ? [name] : before === "" ? [] : [before])));
      }
      before = opened;
    });
  }

  #keepChoice(): void {
    const { store, keep } = this.view;
    const offer = ifChanged((names: string[] | null) => {
      const options = names?.map((name) => html("option", { value: name }, name));
      const none = html("option", { value: "" }, "choose …");
      this.#select.replaceChildren(none, ...(options ?? [html("option", { disabled: true }, FULL)]));
    });
    keep(
      () =>
        [
          store.ranking.value,
          store.status.value.state === "computing",
          store.feature.value,
          this.#comparison.others.value,
        ] as const,
      ([ranking, isComputing, opened, others]) => {
        this.choice.hidden = opened === "";
        // The options of an open menu stay where they are while the order changes.
        const ordered = isComputing ? ranking.toSorted((a, b) => a.index - b.index) : ranking;
        const names = ordered.map(({ name }) => name).filter((name) => name !== opened && !others.includes(name));
        offer(others.length >= MOST_OTHERS ? null : names);
        this.#select.value = "";
      },
    );
    keep(
      () => store.kind.value === "d-ice",
      (isOfSlopes) =>
        setText(
          this.#title,
          isOfSlopes ? "Slopes have different units: each plot has its own axis." : "On one value axis",
        ),
    );
  }

  /** The plots that exist, and the facts of their features. */
  #keepPlaces(): void {
    const { store, keep } = this.view;
    const { names, shelf } = this.#comparison;
    keep(
      () => [names.value, store.ranking.value] as const,
      ([shown, ranking]) => {
        this.plots.hidden = shown.length === 0;
        for (const [place, compared] of this.#places.entries()) {
          const name = shown[place];
          if (name === undefined) {
            compared.node.remove();
            compared.plot.value = null;
            continue;
          }
          compared.show(name);
          if (!compared.node.isConnected) this.#items.append(compared.node);
        }
        shelf.want(shown.filter((name) => ranking.some((ranked) => ranked.name === name && ranked.known)));
      },
    );
    keep(
      () => [names.value, store.ranking.value, store.reading.value] as const,
      ([shown, ranking, reading]) => {
        for (const [place, name] of shown.entries()) {
          const feature = ranking.find((ranked) => ranked.name === name);
          this.#places[place]!.drawFacts(feature, ranking.length, reading);
        }
      },
    );
  }

  #keepPlots(): void {
    const { store, keep } = this.view;
    const { names, plots, lines, room, shelf } = this.#comparison;
    keep(
      () =>
        [
          store.decay.value,
          store.dragging.value,
          lines.value,
          store.outputName.value,
          [names.value, plots.value, room.value, store.ranking.value, store.kind.value, shelf.version.value],
        ] as const,
      ([decay, isDragging, shown, title]) => {
        this.#rest.stop();
        this.#draw(shown, title);
        this.#paint(decay, isDragging);
        const paintAll = (): void => this.#paint(decay, false);
        if (isDragging) this.#rest.start(REST_MS, () => this.view.frames.request(paintAll));
      },
    );
    keep(
      () => [store.selection.value, store.pointed.value] as const,
      ([selection, pointed]) => {
        // A picture without a plot keeps the marks for the plot to come.
        for (const { picture } of this.#places) picture.mark(selection, pointed);
      },
    );
  }

  /** Draws all but the curves. */
  #draw(lines: ShownLines, output: string): void {
    const { root, store } = this.view;
    const { names, plots, room, shelf } = this.#comparison;
    for (const [place, name] of names.peek().entries()) {
      const compared = this.#places[place]!;
      const plot = plots.peek().get(name);
      compared.node.style.width = `${room.peek().width}px`;
      compared.drawPlot(plot, lines, output);
      const feature = store.ranking.peek().find((ranked) => ranked.name === name);
      if (plot === undefined) compared.explain(feature, shelf.get(name), store.kind.peek());
    }
    const opened = plots.peek().get(store.feature.peek())?.scene;
    if (opened === undefined) return;
    // What is on the screen, as the large plot reports it.
    const { feature, n_lines: nLines } = opened.curves;
    Object.assign(root.dataset, { feature, kind: opened.kind, drawnLines: String(nLines) });
  }

  #drawn(): Compared[] {
    return this.#places.filter(({ plot }) => plot.peek() !== null);
  }

  /** Paints all curves; while the slider moves, as many as a frame has time for. */
  #paint(decay: number, isMoving: boolean): void {
    const drawn = this.#drawn();
    for (const compared of drawn) {
      const all = compared.order.length + compared.selected.length;
      const share = isMoving ? this.#pace.affordable(all, drawn.length) / Math.max(1, all) : 1;
      const { lines, ms } = compared.paint(decay, share);
      this.#pace.took(ms, lines);
    }
  }
}
