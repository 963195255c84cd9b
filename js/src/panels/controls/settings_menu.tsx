/** The menu of settings that are rarely changed. */
import { useSignal } from "@preact/signals";
import { hint } from "../../ui/components.tsx";
import { Menu } from "../../view/menu.tsx";
import { Anchor } from "./anchor.tsx";
import { ColorBy } from "./color_by.tsx";
import { Details } from "./details.tsx";
import { Choices, Switches } from "./settings.tsx";

export function SettingsMenu() {
  const isOpen = useSignal(false);
  return (
    <Menu
      {...{ name: "view", role: "group", class: "ice-view-choices", title: "More settings", isOpen }}
      button={{ "aria-label": "More settings", ...hint("More settings"), children: "⋯" }}
    >
      <ColorBy />
      <Choices />
      <Anchor />
      <Switches />
      <Details />
    </Menu>
  );
}
