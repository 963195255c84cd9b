/** Saves the view as a file: a menu of figures, tables, a page and the result. */
import { type ExportItem, ExportMenu, type ExportNews } from "../../files/export_menu.tsx";
import { FIGURES, save, titleOf, type Wish } from "../../files/save.ts";
import { capital } from "../../text/names.ts";
import { useView } from "../../view/use_view.tsx";

/** Figures for a column and for a page of a paper; widths in mm. */
const SIZES = [
  { name: "column", what: "panel", width: 89 },
  { name: "page", what: "view", width: 183 },
] as const;

export function KernelExport({ news }: { news: ExportNews }) {
  const { store } = useView();
  const { format: usualFormat = "svg", width = null, dpi = null } = store.settings.value;
  const usual = { format: usualFormat, width, dpi };
  const item = (name: string, label: string, wish: Wish): ExportItem => ({ name, label, act: () => save(store, wish) });
  const plot = store.pair.value === null ? "curves" : "heat map";
  const beside = store.remembered.of("right").value === "all" ? "all features" : plot;
  const figures = SIZES.map(({ name, ...size }) => ({
    heading: `${size.what === "panel" ? capital(plot) : `Ranking and ${beside}`}, ${size.width} mm wide`,
    items: FIGURES.map((format) => item(`${name}-${format}`, titleOf(format), { ...size, format, dpi })),
  }));
  const groups = [
    ...figures,
    {
      items: [
        item("copy", "Copy PNG to the clipboard", { ...usual, format: "png", where: "clipboard" }),
        item("notebook", `Save ${titleOf(usual.format)} next to the notebook`, { ...usual, where: "notebook" }),
      ],
    },
    {
      items: [
        item("metrics", "Metrics of all features (.csv)", { format: "csv" }),
        item("curves", `Curves of ${store.feature.value} (.csv)`, { format: "csv", what: "panel" }),
      ],
    },
    {
      items: [
        item("html", "Page that works without a kernel (.html)", { format: "html" }),
        item("ice", "Result for ice.load (.ice)", { format: "ice" }),
      ],
    },
  ];
  return <ExportMenu title="Export the view" groups={groups} news={news} />;
}
