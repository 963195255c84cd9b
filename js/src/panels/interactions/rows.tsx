/** A list of features or pairs: a bar for the size of the interaction, its figure, and H². */
import { useRef } from "preact/hooks";
import { figureFormat } from "../../text/numbers.ts";
import { Button, flag, hint } from "../../ui/components.tsx";

export interface JointRow {
  /** One feature, or two. */
  names: string[];
  h2: number;
  /** Its size. */
  effect: number;
  /** Whether it is too small to matter, whatever H² is. */
  isTiny: boolean;
}

const MOST_ROWS = 10;
const TINY = "The size is less than 1 % of the standard deviation of the predictions.";

interface JointRowsProps {
  heading: string;
  /** The `data-test` of a row. */
  test: string;
  rows: readonly JointRow[];
  /** The size of a bar that fills its room. */
  longest: number;
  /** What is open. */
  opened: readonly string[];
  /** While more are computed, rows keep their places under the pointer and the focus: a new one is the last. */
  isComplete: boolean;
  open: (row: JointRow) => void;
}

/** The rows with the largest size. */
export function JointRows({ heading, test, rows, longest, opened, isComplete, open }: JointRowsProps) {
  const shown = rows.slice(0, MOST_ROWS).map((row) => ({ ...row, name: row.names.join(" × ") }));
  const order = useRef<readonly string[]>([]);
  const list = useRef<HTMLUListElement>(null);
  const names = new Set(shown.map(({ name }) => name));
  order.current =
    isComplete || !list.current?.matches(":hover, :focus-within")
      ? [...names]
      : [...new Set([...order.current.filter((each) => names.has(each)), ...names])];
  shown.sort((a, b) => order.current.indexOf(a.name) - order.current.indexOf(b.name));
  const [size, share] = [figureFormat(longest), figureFormat(Math.max(0, ...rows.map(({ h2 }) => h2)))];
  const rest = rows.length - MOST_ROWS;
  return (
    <div class="ice-joint" role="group" aria-label={heading} hidden={rows.length === 0}>
      <div class="ice-joint-head">
        <span class="ice-joint-title">{heading}</span>
        <span aria-hidden="true">size</span>
        <span class="ice-joint-share" aria-hidden="true">
          H²
        </span>
      </div>
      <ul ref={list} class="ice-joint-rows">
        {shown.map((row) => {
          const { name, names, h2, effect, isTiny } = row;
          const isOpen = names.length === opened.length && names.every((each) => opened.includes(each));
          return (
            <li key={name}>
              <Button
                class="ice-joint-row"
                aria-current={isOpen ? "true" : undefined}
                data-test={test}
                data-name={name}
                data-tiny={flag(isTiny)}
                onClick={() => open(row)}
                {...hint(isTiny && effect > 0 ? TINY : "", name)}
              >
                <span class="ice-joint-name">{name}</span>
                <span class="ice-joint-track">
                  <span class="ice-joint-fill" style={{ "--fill": longest > 0 ? effect / longest : 0 }} />
                </span>
                <span class="ice-joint-figure">
                  <span class="ice-hidden">: size </span>
                  {size(effect)}
                </span>
                <span class="ice-joint-share">
                  <span class="ice-hidden">, H² </span>
                  {share(h2)}
                </span>
              </Button>
            </li>
          );
        })}
      </ul>
      <p class="ice-meaning" hidden={rest <= 0}>
        {rest} more with a smaller size.
      </p>
    </div>
  );
}
