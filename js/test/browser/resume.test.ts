import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { settled } from "./hosts.ts";
import { frame, kernel, mount } from "./mount.ts";

const stopped = (state: "cancelled" | "error", done = 3) => ({
  state,
  done,
  total: 8,
  label: "",
  message: "Stopped.",
  n_rows: null,
  n_all: null,
});

const resumed = {
  state: "computing" as const,
  done: 3,
  total: 8,
  label: "Marker",
  message: "",
  n_rows: null,
  n_all: null,
};

test.each(["cancelled", "error"] as const)("what is %s can go on", async (state) => {
  const { part, model } = mount(kernel.model({ ...kernel.partial(3), _status: stopped(state) }));
  await frame();
  expect(part("resume").checkVisibility()).toBe(true);
  await userEvent.click(part("resume"));
  expect(model.sent.filter(({ type }) => type === "resume").length).toBe(1);
  model.push("_status", resumed);
  await frame();
  expect(part("resume").hidden).toBe(true);
  expect(part("cancel").hidden).toBe(false);
});

test("an impatient reader asks once", async () => {
  const model = kernel.model({ ...kernel.partial(3), _status: stopped("cancelled") });
  model.delay = 300;
  const { part } = mount(model);
  await frame();
  part("resume").click();
  part("resume").click();
  expect(model.sent.filter(({ type }) => type === "resume").length).toBe(1);
});

test("there is nothing to go on with while it computes, when all is there, or without a kernel", async () => {
  const mounted = mount(kernel.model(kernel.partial(3)));
  const { part, model } = mounted;
  await settled(mounted); // a late reply would say that the kernel is there
  await expect.poll(() => part("resume").hidden).toBe(true);
  model.push("_status", stopped("error", 8));
  await expect.poll(() => part("resume").hidden).toBe(true);
  model.push("_status", stopped("error"));
  await expect.poll(() => part("resume").hidden).toBe(false);
  model.emit("comm_live_update");
  await expect.poll(() => part("resume").hidden).toBe(true);
});

test("the keyboard goes from cancel to go on and back, and is left where the words are", async () => {
  const { part, model } = mount(kernel.model(kernel.partial(3)));
  await frame();
  part("cancel").focus();
  await userEvent.keyboard("{Enter}");
  model.push("_status", stopped("cancelled"));
  await frame();
  expect(document.activeElement).toBe(part("resume"));
  await userEvent.keyboard("{Enter}");
  model.push("_status", resumed);
  await frame();
  expect(document.activeElement).toBe(part("cancel"));
  model.push("_status", { state: "ready", done: 8, total: 8, label: "", message: "", n_rows: null, n_all: null });
  await frame();
  expect(document.activeElement).toBe(part("status-text").parentElement);
});
