/** The kind of curves. */
import { explanation } from "../../text/glossary.ts";
import { drawnKind, noSlopes } from "../../text/values.ts";
import { hint } from "../../ui/components.tsx";
import { Segments } from "../../ui/tabs.tsx";
import { useView } from "../../view/use_view.tsx";

const KINDS = ["ice", "c-ice", "d-ice"] as const;

export function KindControl() {
  const { store } = useView();
  // Of all features together, some have slopes.
  const opened = store.remembered.of("right").value === "all" ? null : store.opened;
  const buttons = KINDS.map((kind) => {
    const { name, text } = explanation(kind);
    const isAvailable = opened === null || drawnKind(kind, opened.kind) === kind;
    const explained = isAvailable ? { class: "ice-explained", ...hint(text, name) } : hint(noSlopes(opened.name));
    return { value: kind, label: name, isAvailable, "data-test": `kind-${kind}`, ...explained };
  });
  return (
    <Segments
      label="Kind of curves"
      chosen={drawnKind(store.kind.value, opened?.kind ?? "numeric")}
      choose={(kind) => store.set("kind", kind)}
      buttons={buttons}
    />
  );
}
