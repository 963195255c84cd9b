/** The command's shortcut inside an explorer, where Lab is asked to leave the keyboard alone. */
import { CommandRegistry } from "@lumino/commands";
import { explorerAround } from "./explorers.ts";

/** How the parts of an explorer that take the focus ask Lab for it; Lab then runs no shortcut there at all. */
const SUPPRESSED = "[data-lm-suppress-shortcuts]";

/** Acts on an explorer at the keys that users have for a command, which are one stroke with a modifier. */
export function followKeys(
  page: HTMLElement,
  commands: CommandRegistry,
  command: string,
  act: (explorer: HTMLElement) => void,
): void {
  const strokes = (): string[] =>
    commands.keyBindings.filter((binding) => binding.command === command).map((binding) => binding.keys.join(" | "));
  page.addEventListener(
    "keydown",
    (event) => {
      const explorer = explorerAround(event.target);
      if (explorer === null || (event.target as Element).closest(SUPPRESSED) === null) return;
      // Without a modifier it is a letter that somebody types into the search of features.
      if (!event.ctrlKey && !event.metaKey && !event.altKey) return;
      if (!strokes().includes(CommandRegistry.keystrokeForKeydownEvent(event))) return;
      event.preventDefault();
      event.stopPropagation();
      act(explorer);
    },
    { capture: true },
  );
}
