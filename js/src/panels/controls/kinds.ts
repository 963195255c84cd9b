/** The kind of curves. */

import { explanation } from "../../text/glossary.ts";
import { drawnKind, noSlopes } from "../../text/values.ts";
import { html, update } from "../../ui/element.ts";
import { explained, hinted } from "../../ui/explained.ts";
import { segments } from "../../ui/segments.ts";
import type { View } from "../../view/view.ts";
import type { Kind } from "../../wire/protocol.ts";

const KINDS: readonly Kind[] = ["ice", "c-ice", "d-ice"];

export function kindControl({ store, aborted, keep }: View): HTMLElement {
  const buttons = KINDS.map((kind) => html("button", { "data-test": `kind-${kind}` }, explanation(kind).name));
  const choose = (place: number): void => {
    if (!buttons[place]!.hasAttribute("aria-disabled")) store.set("kind", KINDS[place]!);
  };
  const { node, check } = segments("Kind of curves", buttons, choose, aborted);
  keep(
    // Of all features together, some have slopes.
    () => [store.kind.value, store.remembered.of("right").value === "all" ? null : store.opened] as const,
    ([wanted, opened]) => {
      check(KINDS.indexOf(drawnKind(wanted, opened?.kind ?? "numeric")));
      for (const [place, button] of buttons.entries()) {
        const kind = KINDS[place]!;
        const offered = opened === null || drawnKind(kind, opened.kind) === kind;
        // It stays focusable, so that its hint can explain why it does nothing.
        update(button, { "aria-disabled": offered ? null : "true" });
        if (offered) explained(button, explanation(kind));
        else hinted(button, noSlopes(opened.name));
      }
    },
  );
  return node;
}
