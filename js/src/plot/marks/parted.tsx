/** A name that is shortened where there is not enough room: first the beginning that it shares with others, up to `at`. */
export const Parted = ({ text, at }: { text: string; at: number | undefined }) =>
  at === undefined || at >= text.length
    ? text
    : [<span class="ice-shared">{text.slice(0, at)}</span>, <span class="ice-own">{text.slice(at)}</span>];
