/** The export menu, and what it asks of the kernel, of the downloads and of the clipboard. */
import { expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { asked, caughtClipboard, caughtDownloads, exporter } from "./exports.ts";
import { frame, kernel, type Mounted, mount, mountDrawn, mountFrame, notebookCell, press } from "./mount.ts";
import { setTo } from "./settings.ts";

async function choose({ part }: Mounted, name: string): Promise<void> {
  await userEvent.click(part("export"));
  await userEvent.click(part(`export-${name}`));
}

test("the view is saved as the SVG that the kernel draws of it, as this view shows it", async () => {
  const caught = caughtDownloads();
  const mounted = await mountDrawn(
    exporter({
      kind: "c-ice",
      decay: 0.5,
      ci: 0.9,
      _view: { shared_y: false, left: "bars" },
    }),
  );
  await choose(mounted, "page-svg");
  await expect.poll(() => caught.length).toBe(1);
  expect(asked(mounted)).toMatchObject([
    {
      format: "svg",
      what: "view",
      width: 183,
      dpi: null,
      to: "browser",
      state: {
        feature: "Age",
        kind: "c-ice",
        decay: 0.5,
        color_by: null,
        anchor: "min",
        selection: [],
        ci: 0.9,
      },
    },
  ]);
  expect(asked(mounted)[0]!.choices).toEqual({ shared_y: false });
  expect(caught[0]!.name).toBe("Age.svg");
  expect(await (await caught[0]!.contents).text()).toMatch(/^<svg /);
  await expect.poll(() => mounted.part("export-result").textContent).toBe("Download started: Age.svg.");
});

test.each([
  ["column-png", { format: "png", what: "panel", width: 89 }],
  ["column-pdf", { format: "pdf", what: "panel", width: 89 }],
  ["metrics", { format: "csv", what: "view", width: null }],
  ["curves", { format: "csv", what: "panel", width: null }],
  ["html", { format: "html", what: "view", width: null }],
  ["ice", { format: "ice", what: "view", width: null }],
])("%s is downloaded as the kernel makes it", async (name, wish) => {
  const caught = caughtDownloads();
  const mounted = await mountDrawn(exporter());
  await choose(mounted, name);
  await expect.poll(() => caught.length).toBe(1);
  expect(asked(mounted)).toMatchObject([{ ...wish, to: "browser" }]);
  expect(caught[0]!.name).toBe(`Age.${wish.format}`);
});

test("the menu names what is exported, and is in sight where a key opens it elsewhere on the page", async () => {
  const mounted = mount(exporter({ feature: "Age", _view: { pair: ["Age", "BMI"] } }));
  await expect.poll(() => mounted.part("export")).toHaveProperty("disabled", false);
  mounted.root.style.marginTop = "3000px";
  mounted.root.dispatchEvent(new CustomEvent("ice-explorer:export"));
  const menu = mounted.part("export-menu");
  expect(menu.innerText).toMatch(/^Heat map, 89 mm wide[\s\S]*Ranking and heat map, 183 mm wide/);
  const { top, bottom } = menu.getBoundingClientRect();
  expect(top).toBeGreaterThanOrEqual(0);
  expect(bottom).toBeLessThanOrEqual(innerHeight);
});

test("a PNG goes to the clipboard, which hears of it before it is made", async () => {
  const written = caughtClipboard();
  const mounted = mount(exporter());
  mounted.model.delay = 60;
  await mounted.drawn("Age");
  await choose(mounted, "copy");
  expect(written.items.length).toBe(1);
  await expect.poll(() => mounted.part("export-result").textContent).toBe("The picture is on the clipboard.");
  const blob = await written.items[0]!.getType("image/png");
  expect((await createImageBitmap(blob)).width).toBe(1);
});

test.each([
  ["denied", () => caughtClipboard(new DOMException("Write permission denied.", "NotAllowedError"))],
  ["not there", () => void vi.spyOn(navigator, "clipboard", "get").mockReturnValue(undefined as never)],
])("a clipboard that is %s is said in a sentence", async (_case, prepare) => {
  prepare();
  const mounted = await mountDrawn(exporter());
  await choose(mounted, "copy");
  await expect
    .poll(() => mounted.part("export-problem").textContent)
    .toBe("The browser does not let this page use the clipboard. Download the PNG instead.");
});

test("a picture that cannot be made is not the clipboard's fault", async () => {
  caughtClipboard(new DOMException("Denied.", "NotAllowedError"));
  const mounted = await mountDrawn(exporter());
  mounted.model.answer = ({ id }) => ({ reply: { id, type: "error", message: "The model failed." } });
  await choose(mounted, "copy");
  await expect.poll(() => mounted.part("export-problem").textContent).toBe("The model failed.");
});

test("beside the notebook, the path is told and can be copied; the news can be put away", async () => {
  const written = caughtClipboard();
  const mounted = await mountDrawn(exporter());
  const { part } = mounted;
  expect(part("export-news").clientHeight).toBe(0);
  await choose(mounted, "notebook");
  await expect.poll(() => part("export-path").textContent).toBe("/home/reader/notebooks/Age.svg");
  await expect.poll(() => part("export-result").textContent).toBe("Saved as /home/reader/notebooks/Age.svg");
  expect(part("export-result").getAttribute("role")).toBe("status");
  expect(asked(mounted)).toMatchObject([{ format: "svg", what: "view", to: "notebook" }]);
  await userEvent.click(part("copy-path"));
  await expect.poll(() => part("copy-path").textContent).toBe("Copied");
  expect(written.texts).toEqual(["/home/reader/notebooks/Age.svg"]);
  await userEvent.click(part("export-news").querySelector<HTMLElement>("[aria-label=Dismiss]")!);
  expect(part("export-news").clientHeight).toBe(0);
  expect(document.activeElement).toBe(part("export"));
});

test("settings say in which format, and how large", async () => {
  const mounted = await mountDrawn(exporter());
  const size = { width: 89, dpi: 600 };
  const none = { width: null, dpi: null };
  for (const [n, settings, wanted] of [
    [1, { format: "pdf", ...size }, { format: "pdf", ...size }],
    [2, { format: "csv", ...size }, { format: "csv", ...none }],
    [3, {}, { format: "svg", ...none }],
  ] as const) {
    setTo(settings);
    await choose(mounted, "notebook");
    await expect.poll(() => asked(mounted).length).toBe(n);
    expect(asked(mounted).at(-1)).toMatchObject(wanted);
    const name = wanted.format.toUpperCase();
    expect(mounted.part("export-notebook").textContent).toBe(`Save ${name} next to the notebook`);
  }
});

test("the menu is gone through and closed with keys, and stays open when its rule is pressed in a notebook, whose cells take the focus", async () => {
  const { part, root } = await mountDrawn(exporter(), 1000, notebookCell());
  part("export").focus();
  await press("{Enter}");
  expect(document.activeElement).toBe(part("export-column-svg"));
  await userEvent.keyboard("{ArrowDown}");
  expect(document.activeElement).toBe(part("export-column-pdf"));
  await userEvent.keyboard("{End}");
  expect(document.activeElement).toBe(part("export-ice"));
  await userEvent.keyboard("{ArrowDown}{ArrowDown}");
  expect(document.activeElement).toBe(part("export-column-pdf"));
  await userEvent.keyboard("{Escape}");
  expect(part("export-column-pdf").checkVisibility()).toBe(false);
  expect(document.activeElement).toBe(part("export"));
  await userEvent.click(part("export"));
  await userEvent.click(root.querySelector(".ice-menu-rule")!);
  expect(part("export-column-pdf").checkVisibility()).toBe(true);
});

test("there is nothing to save before there is a picture, and the page is told so when it asks", async () => {
  const { part, root } = await mountFrame(kernel.model({ ...kernel.partial(0), feature: "" }));
  expect(part<HTMLButtonElement>("export").disabled).toBe(true);
  root.dispatchEvent(new CustomEvent("ice-explorer:export"));
  await frame();
  expect(part("export-problem").textContent).toBe("There is nothing to export until curves are drawn.");
  expect(part("export-menu").hidden).toBe(true);
});

test("while a file is made the button says so, also where nothing moves", async () => {
  const mounted = await mountDrawn(exporter());
  const sign = () => getComputedStyle(mounted.part("export"), "::after").borderRadius;
  const usual = sign();
  const { answer } = mounted.model;
  mounted.model.answer = () => null;
  await choose(mounted, "notebook");
  expect(mounted.part("export").getAttribute("aria-busy")).toBe("true");
  expect([usual, sign()]).toEqual(["0px", "50%"]);
  const question = mounted.model.sent.findLast(({ type }) => type === "export")!;
  mounted.model.emit("msg:custom", answer(question)!.reply, []);
  await expect.poll(() => mounted.part("export").hasAttribute("aria-busy")).toBe(false);
  expect(sign()).toBe(usual);
});

test("the page opens the menu by an event, and Escape gives the focus back to what had it", async () => {
  const { part, root } = await mountDrawn(exporter());
  part("plot").focus();
  root.dispatchEvent(new CustomEvent("ice-explorer:export"));
  expect(document.activeElement).toBe(part("export-column-svg"));
  await userEvent.keyboard("{Escape}");
  expect([part("export-menu").hidden, document.activeElement]).toEqual([true, part("plot")]);
});
