/** Tabs and segments as in the ARIA practices: one stop of the Tab key, and arrow keys between buttons. */
import type { ComponentChildren, ComponentProps, TargetedKeyboardEvent, TargetedMouseEvent } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { buttonByKey, useUniqueId } from "./components.tsx";

/** Safari does not focus a button that is clicked. */
const focusClicked = ({ currentTarget }: TargetedMouseEvent<HTMLElement>) =>
  currentTarget.focus({ preventScroll: true });

function clickByKey(event: TargetedKeyboardEvent<HTMLElement>): void {
  const button = buttonByKey(event, event.currentTarget);
  if (button === undefined) return;
  event.preventDefault();
  button.click();
}

interface TabsProps<Name extends string> {
  label: string;
  chosen: Name;
  choose: (name: Name) => void;
  tabs: readonly { name: Name; label: string; panel: ComponentChildren }[];
}

/** Tabs and their panels. The focus goes to the chosen tab when the part of a panel that has it is hidden. */
export function Tabs<Name extends string>({ label, chosen, choose, tabs }: TabsProps<Name>) {
  const prefix = useUniqueId("ice");
  const list = useRef<HTMLDivElement>(null);
  const focused = () => list.current?.parentElement?.querySelector("[role=tabpanel] :focus") ?? null;
  const hadFocus = focused() !== null;
  useLayoutEffect(() => {
    if (!hadFocus || focused()?.checkVisibility()) return;
    list.current!.querySelector<HTMLElement>("[aria-selected=true]")!.focus({ preventScroll: true });
  });
  return (
    <>
      <div ref={list} class="ice-tabs" role="tablist" aria-label={label} onKeyDown={clickByKey}>
        {tabs.map(({ name, label: text }) => (
          <button
            key={name}
            id={`${prefix}-tab-${name}`}
            type="button"
            class="ice-tab"
            role="tab"
            aria-controls={`${prefix}-${name}`}
            aria-selected={name === chosen}
            tabIndex={name === chosen ? 0 : -1}
            data-test={`tab-${name}`}
            onClick={(event) => {
              choose(name);
              focusClicked(event);
            }}
          >
            {text}
          </button>
        ))}
      </div>
      {tabs.map(({ name, panel }) => (
        <div
          key={name}
          id={`${prefix}-${name}`}
          role="tabpanel"
          aria-labelledby={`${prefix}-tab-${name}`}
          hidden={name !== chosen}
          data-test={`tabpanel-${name}`}
        >
          {panel}
        </div>
      ))}
    </>
  );
}

interface SegmentsProps<Value> {
  label: string;
  chosen: Value;
  choose: (value: Value) => void;
  buttons: readonly ({ value: Value; label: string; isAvailable: boolean } & ComponentProps<"button">)[];
}

/** One of a few values, as buttons side by side. One that is not available stays focusable, so that its hint can say why. */
export const Segments = <Value extends string>({ label, chosen, choose, buttons }: SegmentsProps<Value>) => (
  <div class="ice-segments" role="radiogroup" aria-label={label} onKeyDown={clickByKey}>
    {buttons.map(({ value, label: text, isAvailable, class: name = "", ...button }, place) => (
      <button
        key={value}
        type="button"
        class={`ice-segment ${name}`}
        role="radio"
        aria-checked={value === chosen}
        aria-disabled={isAvailable ? undefined : true}
        tabIndex={value === chosen || (place === 0 && buttons.every((each) => each.value !== chosen)) ? 0 : -1}
        {...button}
        onClick={(event) => {
          if (isAvailable) choose(value);
          focusClicked(event);
        }}
      >
        {text}
      </button>
    ))}
  </div>
);
