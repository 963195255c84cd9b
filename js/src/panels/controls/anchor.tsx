/** Where the curves of c-ICE are 0. */
import { nearestIndex } from "../../plot/geometry/transforms.ts";
import { hasLevels, isUnordered, placeWriterOf } from "../../text/values.ts";
import { Choice } from "../../ui/setting.tsx";
import { useView } from "../../view/use_view.tsx";
import type { FeatureKind, NamedAnchor } from "../../wire/protocol.ts";

function anchorsOf(kind: FeatureKind): Record<NamedAnchor, string> {
  if (isUnordered(kind))
    return { min: "first level", max: "last level", median: "most frequent", own: "observed level" };
  if (kind === "datetime") return { min: "earliest", max: "latest", median: "median", own: "observed value" };
  const own = hasLevels(kind) ? "observed level" : "observed value";
  return { min: "lowest", max: "highest", median: "median", own };
}

/** Any level can be an anchor, by its place on the axis; other values are chosen by a drag. */
export function Anchor() {
  const { store } = useView();
  const anchor = store.anchor.value;
  const curves = store.loaded.value?.curves ?? null;
  const named = anchorsOf(curves?.kind ?? "numeric");
  const onLevels = curves !== null && hasLevels(curves.kind);
  // On levels an anchor of another feature is the nearest of them.
  const value = typeof anchor === "number" && onLevels ? curves.grid[nearestIndex(curves.grid, anchor)]! : anchor;
  const values = onLevels ? Array.from(curves.grid) : typeof value === "number" ? [value] : [];
  const write = curves === null ? String : placeWriterOf(curves);
  const options = [...Object.entries(named), ...values.map((each): [string, string] => [String(each), write(each)])];
  return (
    <Choice
      name="anchor"
      label="Anchor"
      text="Where all curves of c-ICE are 0. Drag it along the axis for any value."
      value={String(value)}
      options={store.kind.value === "c-ice" ? options : []}
      choose={(chosen) => store.set("anchor", chosen in named ? (chosen as NamedAnchor) : Number(chosen))}
    />
  );
}
