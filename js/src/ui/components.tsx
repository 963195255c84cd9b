/** How components are drawn, and small components that know no data. */
import "@preact/signals"; // components are drawn again when a signal that they read changes
import { type ComponentProps, options, type VNode } from "preact";
import { useMemo } from "preact/hooks";
import type { Explanation } from "../text/glossary.ts";
import { uniqueId } from "./unique_id.ts";

let due: (() => void) | null = null;
options.debounceRendering = (draw) => {
  due = draw;
  requestAnimationFrame(drawDue);
};

/** Draws at once what would be drawn in the next frame. */
export function drawDue(): void {
  const draw = due;
  due = null;
  draw?.();
}

/** JupyterLab intercepts arrow keys and letters on every focused element without this attribute. */
const FOCUSABLE = new Set(["button", "select", "input", "summary"]);
const formerHook = options.vnode;
options.vnode = (vnode) => {
  const { type, props } = vnode as VNode<Record<string, unknown>>;
  if (typeof type === "string" && (FOCUSABLE.has(type) || "tabIndex" in props)) {
    props["data-lm-suppress-shortcuts"] = "true";
  }
  formerHook?.(vnode);
};

/** A `data-` attribute without a value, which is there or not. */
export const flag = (isSet: boolean): "" | undefined => (isSet ? "" : undefined);

/** Attributes of a control with a hint: its action, or why it is not available. */
export const hint = (text: string, name: string | null = null) =>
  text === "" ? {} : { "data-explanation": text, "data-explanation-title": name ?? undefined };

/** Attributes of an explained term, which the Tab key reaches. */
export const explainedBy = ({ name, text }: Explanation, names = "") => ({
  class: `ice-explained ${names}`.trimEnd(),
  tabIndex: 0,
  ...hint(text, name),
});

/** A term with its explanation, by default under its own name. */
export const Term = ({ of, class: names = "", children = of.name, ...term }: TermProps) => (
  <span {...explainedBy(of, String(names))} {...term}>
    {children}
  </span>
);
type TermProps = { of: Explanation } & ComponentProps<"span">;

/** An item of a key: a mark, and what it is. */
export const KeyItem = ({ mark, children, ...item }: { mark: string } & ComponentProps<"span">) => (
  <span class="ice-key-item" {...item}>
    <i class={`ice-key-${mark}`} />
    {children}
  </span>
);

/** A button that submits nothing. */
export const Button = (props: ComponentProps<"button">) => <button type="button" class="ice-button" {...props} />;

const ICONS = {
  close: "M4 4l8 8M12 4l-8 8",
  before: "M10 3.5L5.5 8l4.5 4.5",
  after: "M6 3.5L10.5 8L6 12.5",
  pin: "M5 2.5h6M6 2.5v5l-2 2.5h8l-2-2.5v-5M8 10v4",
} as const;

/** A small picture for a button, in the colour of its text. */
export const Icon = ({ name }: { name: keyof typeof ICONS }) => (
  <svg class="ice-icon" viewBox="0 0 16 16" width={16} height={16} aria-hidden="true">
    <path d={ICONS[name]} />
  </svg>
);

interface SelectProps<Value extends string>
  extends Omit<ComponentProps<"select">, "value" | "role" | "multiple" | "size"> {
  value: Value;
  options: readonly (readonly [value: Value, label: string])[];
  choose: (value: Value) => void;
}

/** A menu of options by value and label. */
export const Select = <Value extends string>({ value, options: offered, choose, ...select }: SelectProps<Value>) => (
  <select class="ice-select" value={value} onChange={(event) => choose(event.currentTarget.value as Value)} {...select}>
    {offered.map(([each, label]) => (
      <option key={each} value={each}>
        {label}
      </option>
    ))}
  </select>
);

/** A name, which is shortened first at the beginning that it shares with other names: up to `sharedLength`. */
export const ElidedName = ({
  name,
  sharedLength = name.length,
}: {
  name: string;
  sharedLength?: number | undefined;
}) =>
  sharedLength >= name.length ? (
    name
  ) : (
    <>
      <span class="ice-shared">{name.slice(0, sharedLength)}</span>
      <span class="ice-own">{name.slice(sharedLength)}</span>
    </>
  );

/** An id that is unique on the page; those of Preact are unique in one view. */
export const useUniqueId = (prefix: string): string => useMemo(() => uniqueId(prefix), [prefix]);

/** The button of a group that an arrow key, Home or End leads to from the focused one; undefined for any other key. */
export function buttonByKey(event: KeyboardEvent, group: HTMLElement): HTMLElement | undefined {
  const buttons = [...group.querySelectorAll<HTMLElement>("button")];
  const place = buttons.indexOf(event.target as HTMLButtonElement);
  const targets: Record<string, number> = {
    ArrowRight: place + 1,
    ArrowDown: place + 1,
    ArrowLeft: place - 1,
    ArrowUp: place - 1,
    Home: 0,
    End: buttons.length - 1,
  };
  const target = targets[event.key];
  return target === undefined ? undefined : buttons[(target + buttons.length) % buttons.length];
}
