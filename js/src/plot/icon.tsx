/** Small pictures for buttons, 16 px wide, drawn in the colour of the text. */
const PATHS = {
  close: "M4 4l8 8M12 4l-8 8",
  before: "M10 3.5L5.5 8l4.5 4.5",
  both: "M3 3h10v10h-10zM8 3v10M3 8h10",
} as const;

export const Icon = ({ name }: { name: keyof typeof PATHS }) => (
  <svg class="ice-icon" viewBox="0 0 16 16" width={16} height={16} aria-hidden="true">
    <path d={PATHS[name]} />
  </svg>
);
