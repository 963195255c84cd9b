/** Extension of JupyterLab and Notebook 7: a command, settings and stored pictures. The widget works without it. */
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from "@jupyterlab/application";
import { ICommandPalette, Notification } from "@jupyterlab/apputils";
import { ISettingRegistry } from "@jupyterlab/settingregistry";
import { Explorers, explorerAround } from "./explorers.ts";
import { followKeys } from "./keys.ts";
import { NotebookExtension } from "./notebooks.ts";
import { publish } from "./settings.ts";

const PLUGIN = "ice-explorer:plugin";
const COMMAND = "ice-explorer:export";
const NONE_SHOWN = "No ICE explorer is on screen. Run a cell that displays one, then try again.";

/** The explorer's Export menu opens at this event. */
function openExport(explorer: HTMLElement): void {
  explorer.scrollIntoView({ block: "nearest" });
  // Lab gives the keyboard back to the notebook when its palette has closed, after the command. The menu opens once
  // that is over, for whatever has the keyboard then gets it back when the menu closes.
  requestAnimationFrame(() =>
    requestAnimationFrame(() => explorer.dispatchEvent(new CustomEvent("ice-explorer:export"))),
  );
}

function addExport(app: JupyterFrontEnd, palette: ICommandPalette | null): void {
  const { commands, shell } = app;
  const explorers = new Explorers(document);
  const current = (): HTMLElement | null => shell.currentWidget?.node ?? null;
  /** Lab remembers the last context menu, so what was under it counts only if the command comes from there. */
  const meant = ({ from }: { from?: unknown }): HTMLElement | null =>
    from === "context menu"
      ? (app.contextMenuHitTest((node) => explorerAround(node) === node) ?? null)
      : explorers.choose(current());
  const isEnabled = (args: { from?: unknown }): boolean =>
    (current()?.matches(".jp-NotebookPanel") ?? false) || meant(args) !== null;

  commands.addCommand(COMMAND, {
    label: "Export ICE figures…",
    caption: "Export figures and data of the ICE explorer in use, or of the first one on screen",
    isEnabled,
    isVisible: isEnabled,
    execute: (args) => {
      const explorer = meant(args);
      if (explorer === null) Notification.info(NONE_SHOWN, { autoClose: 5000 });
      else openExport(explorer);
    },
  });
  shell.currentChanged?.connect(() => commands.notifyCommandChanged(COMMAND));
  palette?.addItem({ command: COMMAND, category: "ICE explorer" });
  followKeys(document.documentElement, commands, COMMAND, openExport);
}

async function followSettings(registry: ISettingRegistry): Promise<void> {
  // JupyterLab rejects overrides that violate the schema and reports them; then there are no settings.
  const settings = await registry.load(PLUGIN).catch(() => null);
  if (settings === null) return;
  const tell = (): void => publish(document, settings.composite);
  settings.changed.connect(tell);
  tell();
}

const plugin: JupyterFrontEndPlugin<void> = {
  id: PLUGIN,
  description: "Exports figures of ICE explorers, applies the user's settings, and stores pictures in saved notebooks.",
  autoStart: true,
  optional: [ICommandPalette, ISettingRegistry],
  activate: async (app: JupyterFrontEnd, palette: ICommandPalette | null, registry: ISettingRegistry | null) => {
    addExport(app, palette);
    app.docRegistry?.addWidgetExtension("Notebook", new NotebookExtension()); // Voilà has no documents
    if (registry !== null) await followSettings(registry);
  },
};

export default plugin;
