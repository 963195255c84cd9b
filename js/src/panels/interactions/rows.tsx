/** A list of features or pairs: a bar for the size of the interaction, its figure, and H². */
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
  open: (row: JointRow) => void;
}

/** The rows with the largest size. */
export function JointRows({ heading, test, rows, longest, opened, open }: JointRowsProps) {
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
      <ul class="ice-joint-rows">
        {rows.slice(0, MOST_ROWS).map((row) => {
          const { names, h2, effect, isTiny } = row;
          const name = names.join(" × ");
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
