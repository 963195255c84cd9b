/** The menu of settings that are rarely changed. */
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { hint } from "../../ui/components.tsx";
import { Menu } from "../../view/menu.tsx";
import { Anchor } from "./anchor.tsx";
import { ColorBy } from "./color_by.tsx";
import { Details } from "./details.tsx";
import { Choices, Switches } from "./settings.tsx";

/** `compare` and `drivers` are parts of other panels. */
export function SettingsMenu({ compare, drivers }: { compare: ComponentChildren; drivers: ComponentChildren }) {
  const isOpen = useSignal(false);
  // What these show is behind the menu.
  const close = (): void => {
    isOpen.value = false;
  };
  return (
    <Menu
      {...{ name: "view", role: "group", class: "ice-view-choices", title: "More settings", isOpen }}
      button={{ "aria-label": "More settings", ...hint("More settings"), children: "⋯" }}
    >
      <ColorBy />
      <div class="ice-contents" onChange={close}>
        {compare}
      </div>
      <div
        class="ice-contents"
        onClick={({ target }) => {
          if ((target as Element).closest(".ice-both") !== null) close();
        }}
      >
        {drivers}
      </div>
      <Choices />
      <Anchor />
      <Switches />
      <Details />
    </Menu>
  );
}
