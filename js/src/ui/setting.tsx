/** Lines of a menu of settings. */
import type { ComponentChildren } from "preact";
import { Select, useUniqueId } from "./components.tsx";

interface SettingProps {
  /** The `data-test` of the control. */
  name: string;
  label: string;
  /** What the setting does. */
  text?: string;
  /** Null if it is available, a sentence if it is not; undefined hides it. */
  offer?: string | null | undefined;
  /** Makes the control, which gets these attributes. */
  control: (attributes: Record<string, string | boolean>) => ComponentChildren;
}

/** The name of a setting, its control, and what it does. A click anywhere on the line reaches the control. */
export function Setting({ name, label, text = "", control, ...rest }: SettingProps) {
  const id = useUniqueId("ice-entry");
  const offer = "offer" in rest ? rest.offer : null;
  const attributes = {
    "aria-label": label,
    "aria-describedby": id,
    disabled: typeof offer === "string",
    "data-test": name,
  };
  return (
    <label class="ice-entry" hidden={offer === undefined}>
      <span>{label}</span>
      {control(attributes)}
      <span id={id} class="ice-entry-text" data-test={`${name}-text`}>
        {offer ?? text}
      </span>
    </label>
  );
}

interface ChoiceProps<Value extends string> extends Omit<SettingProps, "control"> {
  value: Value;
  options: readonly (readonly [value: Value, label: string])[];
  choose: (value: Value) => void;
}

/** A setting that is one of several values; hidden without two of them. */
export const Choice = <Value extends string>({ value, options, choose, ...setting }: ChoiceProps<Value>) => (
  <Setting
    {...setting}
    offer={options.length < 2 ? undefined : null}
    control={(attributes) => <Select {...{ value, options, choose }} {...attributes} />}
  />
);

interface SwitchProps extends Omit<SettingProps, "control"> {
  isOn: boolean;
  turn: (on: boolean) => void;
}

/** A setting that is on or off. */
export const Switch = ({ isOn, turn, ...setting }: SwitchProps) => (
  <Setting
    {...setting}
    control={(attributes) => (
      <input
        type="checkbox"
        checked={isOn}
        onChange={({ currentTarget }) => turn(currentTarget.checked)}
        {...attributes}
      />
    )}
  />
);
