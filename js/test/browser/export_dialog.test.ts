/** The export dialog, with the keyboard alone where that can be. */
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { FORMATS } from "../../dev/model.ts";
import { asked, caughtClipboard, caughtDownloads, dialogOf, mountDialog, openDialog } from "./exports.ts";
import { contrasts, findings } from "./findings.ts";
import { dress, hosts } from "./hosts.ts";
import { choose, kernel, type Mounted, mount, mountDrawn, refusing, shadowRoot } from "./mount.ts";
import { setTo } from "./settings.ts";

const radio = ({ part }: Mounted, name: string): HTMLInputElement => part<HTMLInputElement>(`dialog-${name}`);
const run = ({ part }: Mounted): Promise<void> => userEvent.click(part("dialog-run"));
const pick = (mounted: Mounted, name: string): Promise<void> => userEvent.click(radio(mounted, name));
const HTML = { name: "html", problem: null, holds_all: true };
const without = (name: string, problem: string) =>
  FORMATS.map((each) => (each.name === name ? { ...each, problem } : each));

test("with keys alone: opened from the menu, a PDF of one column saved beside the notebook, back at the button", async () => {
  const mounted = await mountDrawn(kernel.model({ feature: "Age", kind: "c-ice" }));
  const { part } = mounted;
  part("export").focus();
  await userEvent.keyboard("{Enter}{End}{Enter}");
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
  const mounted = await mountDrawn();
  mounted.part("export").focus();
  await userEvent.keyboard("{Enter}{End}{Enter}");
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
  const mounted = await mountDialog();
  let heard = 0;
  mounted.root.addEventListener("keydown", () => heard++);
  await userEvent.keyboard("{ArrowDown}0a");
  expect(heard).toBe(0);
});

test("in a shadow root it has the focus, and keeps it", async () => {
  const place = shadowRoot();
  const mounted = mount(kernel.model({ feature: "Age" }), 1000, place);
  await mounted.drawn("Age");
  openDialog(mounted);
  expect(place.activeElement).toBe(radio(mounted, "format-svg"));
  for (let turn = 0; turn < 9; turn++) {
    await userEvent.keyboard("{Tab}");
    expect(dialogOf(mounted).contains(place.activeElement)).toBe(true);
  }
});

test("what is not installed is greyed out and says why", async () => {
  const problem = "Parquet needs pyarrow, which is not installed. Run `pip install 'ice-explorer[export]'`.";
  const mounted = await mountDialog(without("parquet", problem));
  expect([radio(mounted, "format-parquet").disabled, radio(mounted, "format-csv").disabled]).toEqual([true, false]);
  expect(dialogOf(mounted).textContent).toContain(problem);
});

test("tables have no size; what they hold is called by its name", async () => {
  const mounted = await mountDialog();
  await pick(mounted, "format-csv");
  expect(mounted.part("dialog-width").checkVisibility()).toBe(false);
  expect(radio(mounted, "what-view").labels![0]!.textContent).toBe("Metrics of all features");
  expect(radio(mounted, "what-panel").labels![0]!.textContent).toBe("Curves of Age");
  expect(mounted.parts("dialog-where-clipboard")).toEqual([]);
  await run(mounted);
  await expect.poll(() => asked(mounted)).toMatchObject([{ format: "csv", width: null, dpi: null, to: "browser" }]);
});

test("a table holds the metrics unless its curves are chosen there, and its size is told", async () => {
  caughtDownloads();
  const mounted = await mountDialog();
  const contents = () => mounted.part("dialog-contents").textContent;
  await pick(mounted, "what-all"); // of pictures
  await pick(mounted, "format-csv");
  expect(radio(mounted, "what-view").checked).toBe(true);
  expect(contents()).toMatch(/^About \d(\.\d)? kB, 8 rows$/);
  await pick(mounted, "what-all");
  expect(contents()).toMatch(/^About \d+(\.\d)? MB, about [\d,]+ rows$/);
  await run(mounted);
  await expect.poll(() => dialogOf(mounted).open).toBe(false);
  openDialog(mounted);
  expect([radio(mounted, "format-csv").checked, radio(mounted, "what-view").checked]).toEqual([true, true]);
});

test.each([
  ["ice", "Result (.ice)"],
  ["html", "HTML to open anywhere"],
])("what holds all is offered whole, and says how many rows it has: %s", async (format, name) => {
  const caught = caughtDownloads();
  const mounted = await mountDialog([...FORMATS, HTML]);
  await pick(mounted, "what-all"); // of pictures
  await pick(mounted, `format-${format}`);
  expect(radio(mounted, `format-${format}`).labels![0]!.textContent).toContain(name);
  expect(["view", "panel", "all"].map((what) => mounted.parts(`dialog-what-${what}`).length)).toEqual([1, 0, 0]);
  expect(mounted.part("dialog-width").checkVisibility()).toBe(false);
  expect(mounted.part("dialog-contents").textContent).toBe(
    "Contains 300 rows of your data. Share it only with people who may see them.",
  );
  await run(mounted);
  await expect.poll(() => asked(mounted)).toMatchObject([{ format, what: "view", width: null, to: "browser" }]);
  await expect.poll(() => caught.length).toBe(1);
});

test("pictures of all features can only go beside the notebook, and a PDF of them anywhere, without titles", async () => {
  caughtDownloads();
  const mounted = await mountDialog();
  await pick(mounted, "what-all");
  expect(radio(mounted, "where-download").disabled).toBe(true);
  expect(radio(mounted, "where-notebook").checked).toBe(true);
  expect(dialogOf(mounted).textContent).toContain("saved in a folder next to the notebook");
  await pick(mounted, "format-pdf");
  expect(radio(mounted, "what-all").checked).toBe(true);
  expect(radio(mounted, "where-download").disabled).toBe(false);
  await userEvent.click(mounted.part("dialog-title"));
  await run(mounted);
  await expect.poll(() => asked(mounted)).toMatchObject([{ format: "pdf", what: "all", to: "browser", title: false }]);
});

test("a PNG can be copied", async () => {
  const written = caughtClipboard();
  const mounted = await mountDialog();
  await pick(mounted, "format-png");
  await pick(mounted, "where-clipboard");
  await run(mounted);
  await expect.poll(() => dialogOf(mounted).open).toBe(false);
  expect(written.items.length).toBe(1);
});

test("without Matplotlib a PNG is drawn here, for the downloads and the clipboard alone", async () => {
  const caught = caughtDownloads();
  const problem = "PNG needs matplotlib, which is not installed.";
  const mounted = await mountDialog(without("png", problem));
  await pick(mounted, "format-png");
  const usable = (name: string) => !radio(mounted, name).disabled;
  expect(["what-view", "what-panel", "what-all"].map(usable)).toEqual([true, true, false]);
  expect(["where-download", "where-clipboard", "where-notebook"].map(usable)).toEqual([true, true, false]);
  expect(dialogOf(mounted).textContent).toContain(problem);
  await userEvent.fill(mounted.part("dialog-dpi"), "192");
  await run(mounted);
  await expect.poll(() => caught.length).toBe(1);
  expect(asked(mounted)).toMatchObject([{ format: "svg", what: "view", to: "browser" }]);
  expect(caught[0]!.name).toBe("Age.png");
  expect((await createImageBitmap(await caught[0]!.contents)).width).toBe(600);
});

test("what the kernel refuses is said in the dialog, which stays", async () => {
  const mounted = await mountDialog();
  const { part, model } = mounted;
  const { answer } = model;
  const message = "`width` must be from 60 to 600 mm, a number of mm or a text with its unit; got 20.";
  refusing(model, "export", message);
  choose(part("dialog-width"), "other");
  await userEvent.fill(part("dialog-mm"), "20");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => part("dialog-problem").textContent).toBe(message);
  expect(part("dialog-problem").getAttribute("role")).toBe("alert");
  expect(dialogOf(mounted).open).toBe(true);
  expect(part("export-problem").textContent).toBe("");
  model.answer = answer;
  await userEvent.fill(part("dialog-mm"), "120");
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => dialogOf(mounted).open).toBe(false);
  expect(asked(mounted)).toMatchObject([{ width: 20 }, { width: 120 }]);
});

test("it opens with what JupyterLab is set to, and then with what was used last", async () => {
  setTo({ format: "png", width: 120, dpi: 150 });
  const mounted = await mountDialog();
  const { part } = mounted;
  expect(radio(mounted, "format-png").checked).toBe(true);
  const sizes = ["dialog-width", "dialog-mm", "dialog-dpi"].map((name) => part<HTMLInputElement>(name).value);
  expect(sizes).toEqual(["other", "120", "150"]);
  await pick(mounted, "format-json");
  await pick(mounted, "where-notebook");
  await run(mounted);
  await expect.poll(() => dialogOf(mounted).open).toBe(false);
  openDialog(mounted);
  expect([radio(mounted, "format-json").checked, radio(mounted, "where-notebook").checked]).toEqual([true, true]);
});

test("it has no serious finding, and no faint text in any host", async () => {
  const mounted = await mountDialog(without("pdf", "PDF needs matplotlib."));
  await pick(mounted, "what-all");
  expect(await findings(dialogOf(mounted))).toEqual([]);
  for (const [host, variables] of Object.entries(hosts)) {
    await dress(mounted, variables);
    const measured = contrasts(dialogOf(mounted));
    expect(measured.length).toBeGreaterThan(10);
    expect(
      measured.filter(([, ratio]) => ratio < 4.5),
      host,
    ).toEqual([]);
  }
});
