/** The Export menu, and the message about the last export. */
import { type Signal, useSignal } from "@preact/signals";
import { useLayoutEffect, useState } from "preact/hooks";
import { Button, drawDue, flag } from "../ui/components.tsx";
import { Menu } from "../view/menu.tsx";
import { useView } from "../view/use_view.tsx";
import { Cancelled, sentenceOf } from "../wire/client.ts";
import { copyText } from "./clipboard.ts";
import type { Outcome } from "./download.ts";

/** Event on the explorer's root that opens the menu. */
const OPEN_MENU = "ice-explorer:export";
const NOTHING_YET = "There is nothing to export until curves are drawn.";
/** How long a message without a button stays. */
const STAYS_MS = 8000;

/** Null while there is no message. */
export type ExportNews = Signal<Outcome | null>;

export interface ExportItem {
  name: string;
  label: string;
  act: () => Outcome | Promise<Outcome>;
}

/** Items between two rules; a heading makes them one row. */
export interface ExportGroup {
  heading?: string;
  items: readonly ExportItem[];
}

interface ExportMenuProps {
  title: string;
  groups: readonly ExportGroup[];
  news: ExportNews;
}

export function ExportMenu({ title, groups, news }: ExportMenuProps) {
  const { root, store } = useView();
  const [isOpen, isBusy] = [useSignal(false), useSignal(false)];
  const canExport = store.picture.value.state === "ready";
  useLayoutEffect(() => {
    const show = (part: string): void =>
      root.querySelector(`[data-test=${part}]`)!.scrollIntoView({ block: "nearest" });
    const open = (): void => {
      if (!canExport) news.value = { problem: NOTHING_YET };
      show("export"); // where the page was scrolled to another part
      isOpen.value = canExport;
      drawDue(); // so that the menu has the focus when the page has dispatched the event
      if (canExport) show("export-menu");
    };
    root.addEventListener(OPEN_MENU, open);
    return () => root.removeEventListener(OPEN_MENU, open);
  }, [canExport]);
  const run = async (act: ExportItem["act"]): Promise<void> => {
    isBusy.value = true;
    news.value = null;
    try {
      news.value = await act();
    } catch (error) {
      if (!(error instanceof Cancelled)) news.value = { problem: sentenceOf(error) };
    }
    isBusy.value = false;
  };
  const button = { class: "ice-button ice-disclosure", "aria-haspopup": "menu", disabled: !canExport } as const;
  return (
    <Menu
      {...{ name: "export", role: "menu", title, isOpen }}
      button={{ ...button, "aria-busy": isBusy.value || undefined, children: "Export" }}
    >
      {groups.map(({ heading, items }, place) => {
        const buttons = items.map(({ name, label, act }) => (
          <button
            key={name}
            type="button"
            class="ice-menu-item"
            role="menuitem"
            tabIndex={-1}
            data-test={`export-${name}`}
            onClick={() => void run(act)}
          >
            {label}
          </button>
        ));
        if (heading === undefined) {
          return [place > 0 && <div class="ice-menu-rule" role="separator" />, buttons];
        }
        return [
          <div class="ice-menu-heading" aria-hidden="true">
            {heading}
          </div>,
          <div class="ice-menu-row" role="group" aria-label={heading}>
            {buttons}
          </div>,
        ];
      })}
    </Menu>
  );
}

/** The message about an export, announced by screen readers: the path of the file, or the error. */
export function ExportMessage({ news }: { news: ExportNews }) {
  const { root } = useView();
  const [copying, setCopying] = useState("Copy path");
  const outcome = news.value;
  const { text = "", path = null, problem = "" } = outcome ?? {};
  const clear = (): void => {
    news.value = null;
  };
  useLayoutEffect(() => {
    setCopying("Copy path");
    if (outcome === null || problem !== "" || path !== null) return;
    const timer = setTimeout(clear, STAYS_MS);
    return () => clearTimeout(timer);
  }, [outcome]);
  // The live region is never hidden: some screen readers ignore a region that appears together with its text.
  return (
    <div class="ice-news" data-test="export-news" data-said={flag(outcome !== null)}>
      <div class="ice-news-card">
        <p class="ice-news-text" role="status" data-test="export-result">
          <span>{path === null ? text : `${text} `}</span>
          <span class="ice-path" data-test="export-path">
            {path}
          </span>
        </p>
        <p class="ice-news-text ice-problem" role="alert" data-test="export-problem" hidden={problem === ""}>
          {problem}
        </p>
        <Button
          class="ice-link"
          hidden={path === null}
          data-test="copy-path"
          onClick={async () =>
            setCopying((await copyText(path!)) ? "Copied" : "The browser does not let this page use the clipboard")
          }
        >
          {copying}
        </Button>
        <Button
          class="ice-news-close"
          aria-label="Dismiss"
          hidden={outcome === null}
          onClick={() => {
            clear();
            root.querySelector<HTMLElement>("[data-test=export]")?.focus({ preventScroll: true });
          }}
        >
          ×
        </Button>
      </div>
    </div>
  );
}
