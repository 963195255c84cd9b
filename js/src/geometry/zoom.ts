/** Arithmetic of one axis of which a part shows. Spans run from their lower to their upper end. */

export type Span = [number, number];

/** What shows is at least this share of the axis. */
const LEAST_SHARE = 1 / 500;
/** A span that leaves out less than this share of the axis leaves out nothing. */
const ROUNDING = 1e-9;

const lengthOf = ([from, to]: Span): number => to - from;

export const isWhole = (span: Span, full: Span): boolean => lengthOf(span) >= lengthOf(full) * (1 - ROUNDING);

/** The span, moved and stretched as little as it takes to lie on the axis and to be wide enough to draw. */
export function heldTo(span: Span, full: Span): Span {
  const room = lengthOf(full);
  const length = Math.min(room, Math.max(lengthOf(span), room * LEAST_SHARE));
  if (length >= room * (1 - ROUNDING)) return [full[0], full[1]];
  const middle = (span[0] + span[1]) / 2;
  const from = Math.min(Math.max(middle - length / 2, full[0]), full[1] - length);
  return [from, from + length];
}

/** Shows `factor` times as much around a place that stays where it is; less than 1 zooms in. */
export function zoomedAround(span: Span, at: number, factor: number, full: Span): Span {
  const wide: Span = [at - (at - span[0]) * factor, at + (span[1] - at) * factor];
  return heldTo(wide, full);
}

/** The same length of the axis, further along by a share of it. */
export function movedBy(span: Span, share: number, full: Span): Span {
  const step = lengthOf(span) * share;
  return heldTo([span[0] + step, span[1] + step], full);
}
