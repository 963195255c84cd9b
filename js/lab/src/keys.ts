/** The command's shortcut inside an explorer, where JupyterLab's shortcuts are suppressed. */
import { CommandRegistry } from "@lumino/commands";
import { explorerAround } from "./explorers.ts";

/** Attribute of focusable parts of an explorer that suppresses all shortcuts of JupyterLab. */
const SUPPRESSED = "[data-lm-suppress-shortcuts]";

/** Runs a command on an explorer at the user's shortcut of one keystroke with a modifier. */
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
