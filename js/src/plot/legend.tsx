/** The legend of the colours: a ramp with its ends, or a button per level that hides and shows its curves. */
import type { ComponentChildren } from "preact";
import { useRef } from "preact/hooks";
import type { Hidden } from "../state/filters.ts";
import { MODEL } from "../state/models.ts";
import { isSplit } from "../state/two_sides.ts";
import { partings } from "../text/names.ts";
import { plural } from "../text/numbers.ts";
import { rampEnds } from "../text/values.ts";
import { ElidedName, hint } from "../ui/components.tsx";
import { useView } from "../view/use_view.tsx";
import type { CategoryColors, ColorsBody, ContinuousColors } from "../wire/protocol.ts";
import { cssColor, isDiverging } from "./geometry/palette.ts";
import type { Palette } from "./geometry/raster.ts";
import { OWN_DRAG } from "./gestures.ts";
import { choosePalette } from "./layout.ts";

const HOW = "Click to hide or show. Double-click or Alt-click to show only this one.";

interface Props {
  name: string;
  colors: ColorsBody | null;
  /** Why there are no colours. */
  problem: string | null;
  /** Curves that lack the value; 0 in plots of different rows. */
  nMissing: number;
  /** How many curves of each level are drawn; null in plots of different rows. */
  drawn: readonly number[] | null;
  /** Whether the names of levels are beside their lines. */
  isDirect?: boolean;
}

export function ColorLegend({ name, colors, problem, nMissing, drawn, isDirect }: Props) {
  const { store, theme } = useView();
  const node = useRef<HTMLDivElement>(null);
  const palette = choosePalette(colors, theme.value);
  const hidden = store.hiddenLevels.value;
  const scale = colors?.scale ?? null;
  const showAll = (): void => {
    store.showAllColors();
    node.current!.querySelector<HTMLElement>("[tabindex], button")?.focus({ preventScroll: true });
  };
  return (
    <div
      ref={node}
      class="ice-legend"
      role="group"
      aria-label="Colours"
      data-test={name}
      data-column={scale?.column ?? ""}
      data-split={String(scale !== null && isSplit(scale))}
      data-direct={isDirect === undefined ? undefined : String(isDirect)}
      hidden={scale === null && problem === null}
      {...{ [OWN_DRAG]: true }}
    >
      {problem !== null && (
        <span class="ice-problem" role="alert" data-test="color-problem">
          {problem}
        </span>
      )}
      {scale?.kind === "continuous" && <Ramp scale={scale} palette={palette} nMissing={nMissing} />}
      {scale?.kind === "category" && <Levels {...{ scale, palette, nMissing, drawn, hidden }} />}
      {hidden.size > 0 && (
        <button type="button" class="ice-button ice-show-all" data-test="show-all" onClick={showAll}>
          Show all
        </button>
      )}
    </div>
  );
}

const Swatch = ({ color }: { color: string }) => <i class="ice-swatch" style={{ background: color }} />;

/** The name of the column, which may break after an underscore. */
const Title = ({ column }: { column: string }) => (
  <span class="ice-legend-title" title={column} data-test="legend-title">
    {column.split(/(?<=_)/).flatMap((part) => [part, <wbr />])}
  </span>
);

export function Ramp({ scale, palette, nMissing }: { scale: ContinuousColors; palette: Palette; nMissing: number }) {
  const [low, high] = rampEnds(scale);
  const stops = Array.from({ length: 17 }, (_, stop) => cssColor(palette, stop / 16));
  return (
    <>
      <Title column={scale.column} />
      <span class="ice-legend-ramp" role="group" aria-label={`from ${low} to ${high}`}>
        <span title={low}>{low}</span>
        <span class="ice-ramp" style={{ background: `linear-gradient(to right, ${stops.join(", ")})` }}>
          {isDiverging(scale.domain) && <span class="ice-ramp-zero">0</span>}
        </span>
        <span title={high}>{high}</span>
      </span>
      {nMissing > 0 && (
        <span class="ice-legend-item" data-test="legend-missing">
          <Swatch color={cssColor(palette, Number.NaN)} />
          {`missing (${nMissing})`}
        </span>
      )}
    </>
  );
}

interface LevelsProps extends Pick<Props, "nMissing" | "drawn"> {
  scale: CategoryColors;
  palette: Palette;
  hidden: Hidden;
}

function Levels({ scale, palette, nMissing, drawn, hidden }: LevelsProps) {
  const { store } = useView();
  const areModels = scale.column === MODEL && store.models.value.length > 1;
  // The sides of a split begin with the column, which is their title.
  const beginning = `${scale.column} `;
  const parted = isSplit(scale) ? new Map<string, number>() : partings(scale.levels);
  return (
    <>
      {!areModels && <Title column={scale.column} />}
      {scale.levels.map((level, index) => {
        const observations = plural(scale.counts[index] ?? 0, "observation");
        const curves = drawn === null ? "" : `${plural(drawn[index] ?? 0, "curve")} of `;
        const text = `${curves}${observations}${drawn === null ? "" : ", and their mean"}. ${HOW}`;
        const color = cssColor(palette, index);
        const isSide = isSplit(scale) && level.startsWith(beginning);
        return (
          <LevelButton key={level} level={index} {...{ hidden, color, text }} name={level} test="legend-level">
            <span class="ice-legend-label ice-parted">
              {isSide && <span class="ice-hidden">{beginning}</span>}
              <ElidedName name={isSide ? level.slice(beginning.length) : level} sharedLength={parted.get(level)} />
            </span>
            {drawn !== null && !areModels && <span class="ice-legend-n">{` ${plural(drawn[index] ?? 0, "row")}`}</span>}
          </LevelButton>
        );
      })}
      {nMissing > 0 && (
        <LevelButton level={Number.NaN} hidden={hidden} color={cssColor(palette, Number.NaN)} test="legend-missing">
          {`missing (${nMissing})`}
        </LevelButton>
      )}
    </>
  );
}

interface ButtonProps {
  /** NaN are missing values. */
  level: number;
  hidden: Hidden;
  color: string;
  test: string;
  name?: string | null;
  text?: string;
  children: ComponentChildren;
}

/** A click toggles a level; a double click, or a click with Alt, shows only that level. */
function LevelButton({ level, hidden, color, test, name = null, text = HOW, children }: ButtonProps) {
  const { store } = useView();
  return (
    <button
      type="button"
      class="ice-legend-level"
      aria-pressed={hidden.has(level) ? "false" : "true"}
      data-test={test}
      data-level={String(level)}
      style={{ "--ice-line": color }}
      {...hint(text, name)}
      onClick={({ altKey }) => (altKey ? store.showOnlyLevel(level) : store.toggleLevel(level))}
      onDblClick={() => store.showOnlyLevel(level)} // its two clicks have toggled the level twice
    >
      <Swatch color={color} />
      {children}
    </button>
  );
}
