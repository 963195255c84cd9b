/** The tooltip of a view, which stays inside of the explorer. */
import { useLayoutEffect, useRef } from "preact/hooks";
import { moveBeside } from "../ui/move_to.ts";
import { useExplanations } from "./explanations.ts";
import { useView } from "./use_view.tsx";

export function TooltipCard() {
  const view = useView();
  const { root, tooltip } = view;
  useExplanations(view);
  const node = useRef<HTMLDivElement>(null);
  const content = tooltip.content.value;
  const { title = "", rows = [], note = null, isSpoken = false } = content ?? {};
  useLayoutEffect(() => {
    if (content !== null) moveBeside(node.current!, content.anchor, root, content.place);
  }, [content]);
  return (
    <div
      ref={node}
      id={tooltip.id}
      class="ice-tooltip"
      role="tooltip"
      hidden={content === null}
      aria-live={isSpoken ? "polite" : "off"}
      data-test="tooltip"
    >
      {title !== "" && <div class="ice-tooltip-title">{title}</div>}
      {/* No description list: JupyterLab floats the terms of those in every output. */}
      <div class="ice-tooltip-rows" hidden={rows.length === 0}>
        {rows.map(({ label, value, swatch }) => [
          <span key={`label ${label}`} class="ice-tooltip-label">
            {label}
          </span>,
          <span key={label} class="ice-tooltip-value">
            {swatch !== undefined && <span class="ice-swatch" style={{ background: swatch }} />}
            {value}
          </span>,
        ])}
      </div>
      {note !== null && <p class="ice-tooltip-note">{note}</p>}
    </div>
  );
}
