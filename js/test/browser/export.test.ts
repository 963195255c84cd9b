import { expect, test, vi } from "vitest";
import { userEvent } from "vitest/browser";
import { frame, kernel, mount } from "./mount.ts";

/** Catches what the page would download. */
function downloads(): { name: string; contents: Promise<Blob> }[] {
  const caught: { name: string; contents: Promise<Blob> }[] = [];
  vi.spyOn(HTMLAnchorElement.prototype, "click").mockImplementation(function (this: HTMLAnchorElement) {
    caught.push({ name: this.download, contents: fetch(this.href).then((response) => response.blob()) });
  });
  return caught;
}

test("the view is saved as the SVG that the kernel draws of it", async () => {
  const caught = downloads();
  const { part, model, drawn } = mount(kernel.model({ feature: "Age", kind: "c-ice", decay: 0.5 }));
  await drawn("Age");
  await userEvent.click(part("export"));
  await userEvent.click(part("export-svg"));
  await expect.poll(() => caught.length).toBe(1);
  expect(model.sent.find(({ type }) => type === "export")).toMatchObject({
    format: "svg",
    state: { feature: "Age", kind: "c-ice", decay: 0.5, color_by: null, anchor: "min", selection: [] },
  });
  expect(caught[0]!.name).toBe("Age.svg");
  expect(await (await caught[0]!.contents).text()).toMatch(/^<svg /);
});

test("a PNG is that SVG at twice its size", async () => {
  const caught = downloads();
  const { part, drawn } = mount(kernel.model({ feature: "Age" }));
  await drawn("Age");
  await userEvent.click(part("export"));
  await userEvent.click(part("export-png"));
  await expect.poll(() => caught.length).toBe(1);
  expect(caught[0]!.name).toBe("Age.png");
  const picture = await createImageBitmap(await caught[0]!.contents);
  expect([picture.width, picture.height]).toEqual([600, 400]);
});

test("an export that fails says why", async () => {
  const { part, model, drawn } = mount(kernel.model({ feature: "Age" }));
  await drawn("Age");
  const message = "There is nothing to save before the first feature is computed.";
  model.answer = ({ id }) => ({ reply: { id, type: "error", message } });
  await userEvent.click(part("export"));
  await userEvent.click(part("export-svg"));
  await expect.poll(() => part("export-problem").textContent).toBe(message);
  expect(part("export-problem").hidden).toBe(false);
});

test("the menu is opened, gone through and closed with the keyboard", async () => {
  const { part, drawn } = mount(kernel.model({ feature: "Age" }));
  await drawn("Age");
  part("export").focus();
  await userEvent.keyboard("{Enter}");
  await frame();
  expect(document.activeElement).toBe(part("export-svg"));
  await userEvent.keyboard("{ArrowDown}");
  expect(document.activeElement).toBe(part("export-png"));
  await userEvent.keyboard("{Escape}");
  expect(part("export-png").checkVisibility()).toBe(false);
  expect(document.activeElement).toBe(part("export"));
});

test("there is nothing to save before there is a picture", async () => {
  const { part } = mount(kernel.model({ ...kernel.partial(0), feature: "" }));
  await frame();
  expect(part<HTMLButtonElement>("export").disabled).toBe(true);
});
