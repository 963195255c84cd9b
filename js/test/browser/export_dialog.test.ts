/** The export dialog, with the keyboard alone where that can be. */
import axe from "axe-core";
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { FORMATS } from "../../dev/model.ts";
import type { ExportRequest } from "../../src/wire/protocol.ts";
import { contrasts } from "./contrast.ts";
import { caughtClipboard, caughtDownloads } from "./exports.ts";
import { dress, hosts } from "./hosts.ts";
import { choose, kernel, type Mounted, mount, mountDrawn } from "./mount.ts";
import { setTo } from "./settings.ts";

const asked = ({ model }: Mounted): ExportRequest[] =>
  model.sent.filter((request) => request.type === "export") as ExportRequest[];
const dialogOf = ({ part }: Mounted): HTMLDialogElement => part<HTMLDialogElement>("export-dialog");
const radio = ({ part }: Mounted, name: string): HTMLInputElement => part<HTMLInputElement>(`dialog-${name}`);

async function opened(mounted: Mounted): Promise<Mounted> {
  await mounted.drawn("Age");
  mounted.part("export").focus();
  await userEvent.keyboard("{Enter}{End}{Enter}");
  expect(dialogOf(mounted).open).toBe(true);
  return mounted;
}

test("with keys alone: opened from the menu, a PDF of one column saved beside the notebook, back at the button", async () => {
  const mounted = await opened(mount(kernel.model({ feature: "Age", kind: "c-ice" })));
  const { part } = mounted;
  expect(document.activeElement).toBe(radio(mounted, "format-svg"));
  await userEvent.keyboard("{ArrowDown}{ArrowDown}");
  expect(document.activeElement).toBe(radio(mounted, "format-pdf"));
  await userEvent.keyboard("{Tab}{ArrowDown}");
  expect(radio(mounted, "what-panel").checked).toBe(true);
  await userEvent.keyboard("{Tab}");
  expect(document.activeElement).toBe(part("dialog-width"));
  choose(part("dialog-width"), "89");
  await userEvent.keyboard("{Tab}600{Tab}{Tab}{ArrowDown}");
  expect(radio(mounted, "where-notebook").checked).toBe(true);
  expect(part("dialog-run").textContent).toBe("Save");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => dialogOf(mounted).open).toBe(false);
  expect(asked(mounted)).toMatchObject([{ format: "pdf", what: "panel", width: 89, dpi: 600, to: "notebook" }]);
  expect(part("export-path").textContent).toBe("/home/reader/notebooks/Age.pdf");
  expect(document.activeElement).toBe(part("export"));
});

test("Tab goes round inside, and Escape leads back to the button", async () => {
  const mounted = await opened(mount(kernel.model({ feature: "Age" })));
  const dialog = dialogOf(mounted);
  const seen = [];
  for (let turn = 0; turn < 10; turn++) {
    seen.push(document.activeElement);
    await userEvent.keyboard("{Tab}");
    expect(dialog.contains(document.activeElement)).toBe(true);
  }
  expect(new Set(seen).size).toBe(8);
  expect(seen[8]).toBe(seen[0]);
  await userEvent.keyboard("{Shift>}{Tab}{Tab}{Tab}{/Shift}");
  expect(dialog.contains(document.activeElement)).toBe(true);
  await userEvent.keyboard("{Escape}");
  expect(dialog.open).toBe(false);
  expect(document.activeElement).toBe(mounted.part("export"));
});

test("everything in it keeps its keys to itself", async () => {
  const mounted = await opened(mount(kernel.model({ feature: "Age" })));
  const all = [...dialogOf(mounted).querySelectorAll("button, input, select, [tabindex]"), dialogOf(mounted)];
  expect(all.length).toBeGreaterThan(15);
  for (const node of all) expect(node.getAttribute("data-lm-suppress-shortcuts")).toBe("true");
  let heard = 0;
  const listen = () => heard++;
  mounted.root.addEventListener("keydown", listen);
  await userEvent.keyboard("{ArrowDown}0a");
  expect(heard).toBe(0);
});

test("what is not installed is greyed out and says why", async () => {
  const problem = "Parquet needs pyarrow, which is not installed. Run `pip install 'ice-explorer[export]'`.";
  const formats = FORMATS.map((each) => (each.name === "parquet" ? { ...each, problem } : each));
  const mounted = await opened(mount(kernel.model({ feature: "Age", _header: { ...kernel.header, formats } })));
  expect(radio(mounted, "format-parquet").disabled).toBe(true);
  expect(radio(mounted, "format-csv").disabled).toBe(false);
  expect(dialogOf(mounted).textContent).toContain(problem);
});

test("formats that this page does not know are offered as they are called", async () => {
  const formats = [...FORMATS, { name: "html", problem: null, holds_all: true }];
  const mounted = await opened(mount(kernel.model({ feature: "Age", _header: { ...kernel.header, formats } })));
  await userEvent.click(radio(mounted, "format-html"));
  expect(mounted.parts("dialog-what-view").length).toBe(1);
  expect(mounted.parts("dialog-what-all")).toEqual([]);
  expect(mounted.part("dialog-width").checkVisibility()).toBe(false);
});

test("tables have no size; what they hold is called by its name", async () => {
  const mounted = await opened(mount(kernel.model({ feature: "Age" })));
  await userEvent.click(radio(mounted, "format-csv"));
  expect(mounted.part("dialog-width").checkVisibility()).toBe(false);
  expect(radio(mounted, "what-view").labels![0]!.textContent).toBe("Metrics of all features");
  expect(radio(mounted, "what-panel").labels![0]!.textContent).toBe("Curves of Age");
  expect(mounted.parts("dialog-where-clipboard")).toEqual([]);
  await userEvent.click(mounted.part("dialog-run"));
  await expect.poll(() => asked(mounted).length).toBe(1);
  expect(asked(mounted)).toMatchObject([{ format: "csv", width: null, dpi: null, to: "browser" }]);
});

test("a table holds the metrics unless its curves are chosen there, and its size is told", async () => {
  caughtDownloads();
  const formats = [...FORMATS, { name: "html", problem: null, holds_all: true }];
  const mounted = await opened(mount(kernel.model({ feature: "Age", _header: { ...kernel.header, formats } })));
  const contents = () => mounted.part("dialog-contents").textContent;
  await userEvent.click(radio(mounted, "what-all")); // of pictures
  await userEvent.click(radio(mounted, "format-csv"));
  expect(radio(mounted, "what-view").checked).toBe(true);
  expect(contents()).toMatch(/^About \d(\.\d)? kB, 8 rows$/);
  await userEvent.click(radio(mounted, "what-all"));
  expect(contents()).toMatch(/^About \d+(\.\d)? MB, about [\d,]+ rows$/);
  await userEvent.click(radio(mounted, "format-html"));
  expect(contents()).toBe("Contains 300 rows of your data. Share it only with people who may see them.");
  await userEvent.click(radio(mounted, "format-csv"));
  await userEvent.click(radio(mounted, "what-all"));
  await userEvent.click(mounted.part("dialog-run"));
  await expect.poll(() => dialogOf(mounted).open).toBe(false);
  await userEvent.click(mounted.part("export"));
  await userEvent.click(mounted.part("export-more"));
  expect(radio(mounted, "format-csv").checked).toBe(true);
  expect(radio(mounted, "what-view").checked).toBe(true);
});

test("a result to open again is offered whole, and says how many rows it has", async () => {
  const caught = caughtDownloads();
  const mounted = await opened(mount(kernel.model({ feature: "Age" })));
  await userEvent.click(radio(mounted, "what-all")); // of pictures
  await userEvent.click(radio(mounted, "format-ice"));
  expect(radio(mounted, "format-ice").labels![0]!.textContent).toContain("Result (.ice)");
  expect(mounted.parts("dialog-what-view").length).toBe(1);
  expect(mounted.parts("dialog-what-panel")).toEqual([]);
  expect(mounted.part("dialog-width").checkVisibility()).toBe(false);
  expect(mounted.part("dialog-contents").textContent).toBe(
    "Contains 300 rows of your data. Share it only with people who may see them.",
  );
  await userEvent.click(mounted.part("dialog-run"));
  await expect.poll(() => asked(mounted)).toMatchObject([{ format: "ice", what: "view", width: null, to: "browser" }]);
  await expect.poll(() => caught.length).toBe(1);
});

test("a figure goes without its title", async () => {
  caughtDownloads();
  const mounted = await opened(mount(kernel.model({ feature: "Age" })));
  await userEvent.click(mounted.part("dialog-title"));
  await userEvent.click(mounted.part("dialog-run"));
  await expect.poll(() => asked(mounted)).toMatchObject([{ format: "svg", title: false }]);
});

test("pictures of all features can only go beside the notebook, and a PDF of them anywhere", async () => {
  caughtDownloads();
  const mounted = await opened(mount(kernel.model({ feature: "Age" })));
  await userEvent.click(radio(mounted, "what-all"));
  expect(radio(mounted, "where-download").disabled).toBe(true);
  expect(radio(mounted, "where-notebook").checked).toBe(true);
  expect(dialogOf(mounted).textContent).toContain("saved in a folder next to the notebook");
  await userEvent.click(radio(mounted, "format-pdf"));
  expect(radio(mounted, "what-all").checked).toBe(true);
  expect(radio(mounted, "where-download").disabled).toBe(false);
  await userEvent.click(mounted.part("dialog-run"));
  await expect.poll(() => asked(mounted).length).toBe(1);
  expect(asked(mounted)).toMatchObject([{ format: "pdf", what: "all", to: "browser" }]);
});

test("a PNG can be copied", async () => {
  const written = caughtClipboard();
  const mounted = await opened(mount(kernel.model({ feature: "Age" })));
  await userEvent.click(radio(mounted, "format-png"));
  await userEvent.click(radio(mounted, "where-clipboard"));
  await userEvent.click(mounted.part("dialog-run"));
  await expect.poll(() => dialogOf(mounted).open).toBe(false);
  expect(written.items.length).toBe(1);
});

test("what the kernel refuses is said in the dialog, which stays", async () => {
  const mounted = await opened(mount(kernel.model({ feature: "Age" })));
  const { part, model } = mounted;
  const message = "`width` must be from 60 to 600 mm, a number of mm or a text with its unit; got 20.";
  const answer = model.answer;
  model.answer = ({ id }) => ({ reply: { id, type: "error", message } });
  choose(part("dialog-width"), "other");
  await userEvent.fill(part("dialog-mm"), "20");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => part("dialog-problem").textContent).toBe(message);
  expect(part("dialog-problem").getAttribute("role")).toBe("alert");
  expect(dialogOf(mounted).open).toBe(true);
  expect(asked(mounted)).toMatchObject([{ width: 20 }]);
  expect(part("export-problem").textContent).toBe("");
  model.answer = answer;
  await userEvent.fill(part("dialog-mm"), "120");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => dialogOf(mounted).open).toBe(false);
  expect(asked(mounted)[1]).toMatchObject({ width: 120 });
});

test("another part of the page opens it, once, with the focus inside", async () => {
  const mounted = await mountDrawn();
  for (const _turn of [1, 2]) mounted.root.dispatchEvent(new CustomEvent("ice-explorer:export"));
  expect(dialogOf(mounted).open).toBe(true);
  expect(document.activeElement).toBe(radio(mounted, "format-svg"));
});

test("it opens with what JupyterLab is set to, and then with what was used last", async () => {
  setTo({ format: "png", width: 120, dpi: 150 });
  const mounted = await opened(mount(kernel.model({ feature: "Age" })));
  const { part } = mounted;
  expect(radio(mounted, "format-png").checked).toBe(true);
  expect([part<HTMLSelectElement>("dialog-width").value, part<HTMLInputElement>("dialog-mm").value]).toEqual([
    "other",
    "120",
  ]);
  expect(part<HTMLInputElement>("dialog-dpi").value).toBe("150");
  await userEvent.click(radio(mounted, "format-json"));
  await userEvent.click(radio(mounted, "where-notebook"));
  await userEvent.click(part("dialog-run"));
  await expect.poll(() => dialogOf(mounted).open).toBe(false);
  await userEvent.click(part("export"));
  await userEvent.click(part("export-more"));
  expect(radio(mounted, "format-json").checked).toBe(true);
  expect(radio(mounted, "where-notebook").checked).toBe(true);
});

test("it lives in a shadow root as well", async () => {
  const mounted = await mountDrawn();
  const host = document.createElement("div");
  document.body.append(host);
  const styles = [...document.querySelectorAll("style")].map((style) => style.cloneNode(true));
  host.attachShadow({ mode: "open" }).append(...styles, mounted.root);
  const { root } = mounted;
  root.dispatchEvent(new CustomEvent("ice-explorer:export"));
  expect(host.shadowRoot!.activeElement).toBe(radio(mounted, "format-svg"));
  for (let turn = 0; turn < 9; turn++) {
    await userEvent.keyboard("{Tab}");
    expect(dialogOf(mounted).contains(host.shadowRoot!.activeElement)).toBe(true);
  }
  await userEvent.keyboard("{Escape}");
  expect(dialogOf(mounted).open).toBe(false);
  host.remove();
});

test.each(Object.entries(hosts))("it has no serious finding and no faint text in %s", async (host, variables) => {
  const formats = FORMATS.map((each) => ({ ...each, problem: each.name === "pdf" ? "PDF needs matplotlib." : null }));
  const mounted = await opened(mount(kernel.model({ feature: "Age", _header: { ...kernel.header, formats } })));
  if (host !== "an unknown host") await dress(mounted, variables);
  await userEvent.click(radio(mounted, "what-all"));
  const { violations } = await axe.run(dialogOf(mounted), { resultTypes: ["violations"] });
  const found = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  expect(found.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(" | ")}`)).toEqual([]);
  const measured = contrasts(dialogOf(mounted));
  expect(measured.length).toBeGreaterThan(10);
  expect(measured.filter(([, ratio]) => ratio < 4.5)).toEqual([]);
});

test("without Matplotlib a PNG is drawn here, for the downloads and the clipboard alone", async () => {
  const caught = caughtDownloads();
  const problem = "PNG needs matplotlib, which is not installed.";
  const formats = FORMATS.map((each) => (each.name === "png" ? { ...each, problem } : each));
  const mounted = await opened(mount(kernel.model({ feature: "Age", _header: { ...kernel.header, formats } })));
  await userEvent.click(radio(mounted, "format-png"));
  const usable = (name: string) => !radio(mounted, name).disabled;
  expect(["what-view", "what-panel", "what-all"].map(usable)).toEqual([true, true, false]);
  expect(["where-download", "where-clipboard", "where-notebook"].map(usable)).toEqual([true, true, false]);
  expect(dialogOf(mounted).textContent).toContain(problem);
  await userEvent.fill(mounted.part("dialog-dpi"), "192");
  await userEvent.click(mounted.part("dialog-run"));
  await expect.poll(() => caught.length).toBe(1);
  expect(asked(mounted)).toMatchObject([{ format: "svg", what: "view", to: "browser" }]);
  expect(caught[0]!.name).toBe("Age.png");
  expect((await createImageBitmap(await caught[0]!.contents)).width).toBe(600);
});
