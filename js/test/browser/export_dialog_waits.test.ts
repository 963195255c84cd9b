/** The export dialog while something else goes on: a file that is being made, a page that changes, a low window. */
import { expect, onTestFinished, test } from "vitest";
import { page, userEvent } from "vitest/browser";
import { asked, caughtDownloads, dialogOf, mountDialog, openDialog } from "./exports.ts";
import { choose, frame, type Mounted } from "./mount.ts";

async function opened(): Promise<Mounted> {
  caughtDownloads();
  return mountDialog();
}

/** A kernel that takes as long as the test does. */
function hold({ model }: Mounted): { refuse: (message: string) => void; answer: () => void } {
  const usual = model.answer;
  model.answer = () => null;
  const reply = (answered: ReturnType<typeof usual>): void => {
    if (answered !== null) model.hear(answered.reply);
  };
  const last = () => model.sent.findLast((request) => request.type === "export")!;
  return {
    refuse: (message) => reply({ reply: { id: last().id, type: "error", message } }),
    answer: () => reply(usual(last())),
  };
}

test("nothing is saved twice, whatever is chosen while the kernel works, and the keyboard stays inside", async () => {
  const mounted = await opened();
  const { part } = mounted;
  const { answer } = hold(mounted);
  await userEvent.click(part("dialog-run"));
  await frame();
  expect([part("dialog-run").getAttribute("aria-busy"), document.activeElement]).toEqual(["true", part("dialog-run")]);
  await userEvent.click(part("dialog-format-pdf"));
  await userEvent.keyboard("{Enter}");
  part("dialog-run").click();
  expect(asked(mounted).map(({ format }) => format)).toEqual(["svg"]);
  answer();
  await expect.poll(() => dialogOf(mounted).open).toBe(false);
});

test("closed over a file that is being made, the explorer says why there is none", async () => {
  const mounted = await opened();
  const { refuse } = hold(mounted);
  await userEvent.click(mounted.part("dialog-run"));
  await userEvent.keyboard("{Escape}");
  refuse("There is no space left.");
  await expect.poll(() => mounted.part("export-problem").textContent).toBe("There is no space left.");
  expect(mounted.part("dialog-problem").hidden).toBe(true);
});

test("opened again, it is not closed by the file before", async () => {
  const mounted = await opened();
  const { answer } = hold(mounted);
  await userEvent.click(mounted.part("dialog-run"));
  await userEvent.click(mounted.part("dialog-cancel"));
  await frame();
  openDialog(mounted);
  expect(mounted.part("dialog-run").hasAttribute("aria-busy")).toBe(false);
  answer();
  await expect.poll(() => mounted.part("export-result").textContent).toBe("The browser saves it as Age.svg.");
  expect(dialogOf(mounted).open).toBe(true);
});

test("it names the feature that is open now", async () => {
  const mounted = await opened();
  mounted.model.push("feature", "BMI");
  await mounted.drawn("BMI");
  const panel = mounted.part<HTMLInputElement>("dialog-what-panel");
  expect(panel.labels![0]!.textContent).toBe("Curves of BMI");
});

test("its scroll bar does not close it, and its backdrop does; taken out of the page and put back, it opens as a dialog again", async () => {
  const mounted = await opened();
  const dialog = dialogOf(mounted);
  const { right, top } = dialog.getBoundingClientRect();
  const press = (clientX: number) =>
    dialog.dispatchEvent(new PointerEvent("pointerdown", { bubbles: true, clientX, clientY: top + 40 }));
  press(right - 4);
  expect(dialog.open).toBe(true);
  press(right + 4);
  expect(dialog.open).toBe(false);
  const cell = mounted.root.parentElement!;
  mounted.root.remove();
  cell.append(mounted.root);
  openDialog(mounted);
  expect(dialog.matches(":modal")).toBe(true);
});

test("the menu of the right button is the browser's, not the page's", async () => {
  const mounted = await opened();
  let heard = 0;
  mounted.root.addEventListener("contextmenu", () => heard++);
  await userEvent.click(mounted.part("dialog-dpi"), { button: "right" });
  expect(heard).toBe(0);
});

test.each([
  ["dialog-mm", "", "The width must be a number of mm, such as 120."],
  ["dialog-mm", "6e", "The width must be a number of mm, such as 120."],
  ["dialog-dpi", "6e", "The resolution must be a number of dpi, such as 300, or empty."],
])("what is no number is not taken for the usual one: %s of '%s'", async (field, typed, sentence) => {
  const mounted = await opened();
  if (field === "dialog-mm") choose(mounted.part("dialog-width"), "other");
  mounted.part(field).focus();
  await userEvent.keyboard(`${typed}{Enter}`);
  await expect.poll(() => mounted.part("dialog-problem").textContent).toBe(sentence);
  expect(asked(mounted)).toEqual([]);
  await userEvent.click(mounted.part("dialog-format-csv"));
  await userEvent.click(mounted.part("dialog-run"));
  await expect.poll(() => asked(mounted).length).toBe(1);
});

test("what is wrong comes into sight where the window is low", async () => {
  await page.viewport(640, 300);
  onTestFinished(() => page.viewport(1000, 900));
  const mounted = await opened();
  choose(mounted.part("dialog-width"), "other");
  dialogOf(mounted).scrollTop = 0;
  mounted.part("dialog-format-svg").focus();
  await userEvent.keyboard("{Enter}");
  await expect.poll(() => mounted.part("dialog-problem").hidden).toBe(false);
  const { bottom } = mounted.part("dialog-problem").getBoundingClientRect();
  expect(bottom).toBeLessThanOrEqual(dialogOf(mounted).getBoundingClientRect().bottom);
});
