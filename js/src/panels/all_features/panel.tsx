/** Small plots of all features, in the order of the ranking. Only visible tiles exist and request curves. */
import { max } from "d3-array";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { useKept, useLifetime, useSize } from "../../plot/hooks.ts";
import type { Layout } from "../../plot/layout.ts";
import { ColorLegend } from "../../plot/legend.tsx";
import { SmallPlot } from "../../plot/plot.tsx";
import type { Progress } from "../../state/feed.ts";
import type { Loaded } from "../../state/store.ts";
import { shortSpanTexts, spanTexts } from "../../text/dates.ts";
import { RANK_LABELS } from "../../text/metric_names.ts";
import { count, plural } from "../../text/numbers.ts";
import { isUnordered } from "../../text/values.ts";
import { ElidedName } from "../../ui/components.tsx";
import { atEnd, react } from "../../ui/lifetime.ts";
import { useView } from "../../view/use_view.tsx";
import { type Grid, MOST_LINES, PADDING, type Tile } from "./grid.ts";
import { placeAfter, TILE_HEIGHT } from "./places.ts";

/** Room for the scroll bar beyond the edge of the panel. */
const MARGIN = 12;

interface Props {
  grid: Grid;
}

interface PanelProps extends Props {
  /** Above the tiles. */
  controls: ComponentChildren;
  /** Called when a tile is opened. */
  showFeature: () => void;
}

export function AllFeatures({ grid, controls, showFeature }: PanelProps) {
  const { store } = useView();
  const [order, metric] = [grid.order.value, RANK_LABELS[store.rankBy.value]];
  const model = store.models.value.length > 1 ? ` of ${store.openModel.value}` : "";
  const nKnown = order.filter(({ known }) => known).length;
  const isEmpty = order.length === 0;
  return (
    <section class="ice-panel" aria-label="All features in small" data-test="all-features">
      <header class="ice-head">
        <h3 class="ice-title">All features</h3>
        <p class="ice-facts" data-test="grid-about">
          {`${aboutText(order.length, nKnown, metric)}${model}`}
        </p>
      </header>
      {controls}
      <Legend grid={grid} />
      <Tiles grid={grid} metric={metric} showFeature={showFeature} isEmpty={isEmpty} />
      <p class="ice-empty" hidden={!isEmpty}>
        {isEmpty && "No features to show."}
      </p>
    </section>
  );
}

function aboutText(n: number, nKnown: number, metric: string): string {
  const features = nKnown < n ? `${count(nKnown)} of ${plural(n, "feature")} so far` : plural(n, "feature");
  return `${features} by ${metric}, at most ${MOST_LINES} curves each`;
}

/** The colours of the first feature in the ranking that has curves. Rows differ from tile to tile, so nothing is counted. */
function Legend({ grid }: Props) {
  const first = grid.order.value.map(({ name }) => grid.loaded(name)).find((loaded) => loaded !== null);
  const { colors = null, colorProblem = null } = first ?? {};
  return <ColorLegend name="grid-legend" colors={colors} problem={colorProblem} nMissing={0} drawn={null} />;
}

interface TilesProps extends Props {
  metric: string;
  isEmpty: boolean;
  showFeature: () => void;
}

function Tiles({ grid, metric, isEmpty, showFeature }: TilesProps) {
  const { store } = useView();
  const scroll = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLDivElement>(null);
  useSize(scroll, grid.size);
  /** The tile that a key led to, which may not exist before the next drawing. */
  const next = useRef<string | null>(null);
  const observer = useMemo(() => grid.observer(), []);
  const [order, places, opened] = [grid.order.value, grid.places.value, store.feature.value];
  const reachable = grid.reachable.value;
  const placeAt = (name: string) => order.findIndex((feature) => feature.name === name);
  const reveal = (place: number): void => {
    const node = scroll.current!;
    if (place === -1) return;
    const top = Math.floor(place / places.columns) * places.pitch;
    const lowest = top + TILE_HEIGHT + 2 * PADDING - node.clientHeight;
    if (top < node.scrollTop) node.scrollTop = top;
    else if (lowest > node.scrollTop) node.scrollTop = lowest;
  };
  useLayoutEffect(() => {
    scroll.current!.scrollTop = grid.scrollTop.peek();
  }, []);
  useKept(
    () => grid.size.value.width,
    () => {
      const node = scroll.current!;
      node.style.marginRight = `${-Math.min(MARGIN, PADDING + node.offsetWidth - node.clientWidth)}px`;
    },
  );
  useLifetime((aborted) => {
    react(aborted, () => grid.curves.want(grid.requested.value));
    atEnd(aborted, () => {
      observer.disconnect();
      grid.curves.want([]);
    });
  });
  useLayoutEffect(() => {
    if (grid.tiles.peek().length === 0 || opened === grid.revealed) return;
    grid.revealed = opened;
    reveal(placeAt(opened));
  });
  useLayoutEffect(() => {
    const tile = [...list.current!.children].find((child) => (child as HTMLElement).dataset.feature === next.current);
    if (tile === undefined) return;
    next.current = null;
    (tile as HTMLElement).focus({ preventScroll: true });
  });
  const open = (name: string): void => {
    store.open(name);
    showFeature();
  };
  /** What a key does on the tile of a feature. */
  const press = (name: string, event: KeyboardEvent): void => {
    if (event.key === "Enter" || event.key === " ") open(name);
    else {
      const place = placeAfter(event.key, placeAt(name), places.columns, order.length);
      if (place === null) return;
      next.current = order[place]!.name;
      grid.active.value = next.current;
      reveal(place);
    }
    event.preventDefault();
  };
  const largest = max(order, ({ value }) => value) ?? 0;
  const write = store.reading.value?.column(largest) ?? String;
  // In an order that does not change, so that no tile is moved in the page and loses the focus.
  const tiles = grid.tiles.value.toSorted((a, b) => a.feature.index - b.feature.index);
  return (
    <div
      ref={scroll}
      class="ice-grid-scroll"
      data-test="grid-scroll"
      hidden={isEmpty}
      onScroll={({ currentTarget }) => {
        grid.scrollTop.value = currentTarget.scrollTop;
      }}
    >
      <div
        ref={list}
        class="ice-grid"
        role="listbox"
        aria-label={`All features by ${metric}`}
        data-test="grid"
        style={{ height: `${places.height}px` }}
      >
        {tiles.map((tile) => (
          <TileBox
            key={tile.feature.name}
            {...{ grid, tile, metric, observer, places }}
            isReachable={tile.feature.name === reachable}
            total={order.length}
            figure={tile.feature.known ? write(tile.feature.value) : ""}
            open={() => open(tile.feature.name)}
            press={(event) => press(tile.feature.name, event)}
          />
        ))}
      </div>
    </div>
  );
}

interface TileProps extends Props {
  tile: Tile;
  metric: string;
  isReachable: boolean;
  observer: IntersectionObserver;
  places: Grid["places"]["value"];
  total: number;
  figure: string;
  open: () => void;
  press: (event: KeyboardEvent) => void;
}

/** One feature in small: name, rank and figure, its lines in the kind that is shown. */
function TileBox({ grid, tile, metric, isReachable, observer, places, total, figure, open, press }: TileProps) {
  const { store } = useView();
  const node = useRef<HTMLDivElement>(null);
  const { place, feature } = tile;
  const { name } = feature;
  const [x, y] = [
    Math.round((place % places.columns) * places.step),
    Math.floor(place / places.columns) * places.pitch,
  ];
  useLayoutEffect(() => {
    const box = node.current!;
    observer.observe(box);
    return () => observer.unobserve(box);
  }, []);
  return (
    <div
      ref={node}
      class="ice-tile"
      role="option"
      tabIndex={isReachable ? 0 : -1}
      aria-selected={name === store.feature.value}
      aria-posinset={place + 1}
      aria-setsize={total}
      data-test="tile"
      data-feature={name}
      data-place={place}
      data-may-move={feature.mayMove ? "" : undefined}
      style={{
        width: `${places.tileWidth}px`,
        height: `${TILE_HEIGHT}px`,
        transform: `translate(${x}px, ${y}px)`,
      }}
      onClick={open}
      onKeyDown={press}
    >
      <div class="ice-tile-head">
        <span class="ice-tile-rank">{place + 1}</span>{" "}
        <span class="ice-tile-name ice-parted" title={name}>
          <ElidedName name={name} sharedLength={store.partings.value.get(name)} />
        </span>{" "}
        <span class="ice-tile-figure">{figure}</span> <span class="ice-hidden">{figure !== "" && metric}</span>
      </div>
      <TileBody grid={grid} name={name} known={feature.known} kind={feature.kind} />
    </div>
  );
}

type Described = Pick<Tile["feature"], "name" | "known" | "kind">;

function TileBody({ grid, ...feature }: Props & Described) {
  const { store } = useView();
  const drawing = useMemo(() => grid.draw(feature.name), []);
  const layout = drawing.layout.value;
  const progress = grid.curves.get(feature.name);
  const message = messageText(grid, feature, progress, store.status.value.label);
  return (
    <div class="ice-small-body">
      <SmallPlot drawing={drawing} hidden={message !== ""}>
        {layout !== null && <AxisEnds layout={layout} />}
      </SmallPlot>
      <p
        class="ice-small-message"
        data-test="tile-message"
        data-state={progress.state === "error" ? "error" : undefined}
        hidden={message === ""}
      >
        {message}
      </p>
    </div>
  );
}

/** What is said in place of a plot; empty where there is one. */
function messageText(grid: Grid, feature: Described, progress: Progress<Loaded>, computing: string): string {
  if (!feature.known) return computing === feature.name ? "Computing …" : "Not computed yet.";
  if (!grid.hasPlot(feature)) return "Levels without an order have no slopes.";
  return progress.state === "error" ? progress.message : progress.body === null ? "…" : "";
}

/** Labels of the ends of the axis, in full on hover. Levels without an order have none. */
function AxisEnds({ layout: { scene, left, right, size, write } }: { layout: Layout }) {
  const { grid, kind, clock, n_grid: nGrid } = scene.curves;
  const isDate = kind === "datetime" && grid.length > 0;
  const ends: [number, number] = [grid[0]!, grid[grid.length - 1]!];
  const [first = "", last = ""] = isUnordered(kind)
    ? [plural(nGrid, "level")]
    : isDate
      ? shortSpanTexts(ends, clock)
      : Array.from(grid.length > 1 ? ends : grid, write);
  return (
    <div
      class="ice-small-below"
      title={isDate ? spanTexts(ends, clock).join(" – ") : ""}
      style={{ marginLeft: `${left}px`, marginRight: `${size.width - right}px` }}
    >
      <span class="ice-small-end">{first}</span>
      <span class="ice-small-end">{last}</span>
    </div>
  );
}
