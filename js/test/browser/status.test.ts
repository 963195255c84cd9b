import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { KERNEL_GONE } from "../../src/wire/client.ts";
import { PROTOCOL_VERSION } from "../../src/wire/protocol.ts";
import { settled } from "./hosts.ts";
import { choose, frame, kernel, mount } from "./mount.ts";

const status = (state: "cancelled" | "error" | "ready", message: string) => ({
  state,
  done: 3,
  total: 8,
  label: "",
  message,
  n_rows: null,
  n_all: null,
});

test("progress names how far it is and the feature at work", async () => {
  const { root, part } = mount(kernel.model(kernel.partial(3)));
  await frame();
  expect(root.dataset.status).toBe("computing");
  expect(part("status-text").textContent).toBe("3 of 8 features · Marker");
  expect(part<HTMLProgressElement>("progress").value).toBe(3);
  expect(part<HTMLProgressElement>("progress").max).toBe(8);
});

test("cancel asks the kernel to stop, and what it says then is shown", async () => {
  const { root, part, model } = mount(kernel.model(kernel.partial(3)));
  await frame();
  await userEvent.click(part("cancel"));
  expect(model.sent.filter(({ type }) => type === "cancel").length).toBe(1);
  model.push("_status", status("cancelled", "Cancelled after 3 of 8 features."));
  await frame();
  expect(root.dataset.status).toBe("cancelled");
  expect(part("status-text").textContent).toBe("Cancelled after 3 of 8 features.");
  expect(part("cancel").hidden).toBe(true);
});

test("an error is its sentence", async () => {
  const message = "predict() returned shape (200, 1) for 200 rows; expected (200,).";
  const { part } = mount(kernel.model({ ...kernel.partial(3), _status: status("error", message) }));
  await frame();
  expect(part("status-text").textContent).toBe(message);
  expect(part("status").dataset.tone).toBe("error");
});

test("when all is done it says how many rows and features there are; what few need is folded away", async () => {
  const { part } = mount(kernel.model({ feature: "Age" }));
  await frame();
  expect(part("status-text").textContent).toBe("300 observations · 8 features");
  const details = part<HTMLDetailsElement>("details");
  expect([details.open, part("details-summary").textContent]).toEqual([false, "Details"]);
  await userEvent.click(part("details-summary"));
  expect(details.innerText).toMatch(/Engine\s+brute: .*\s+Grid\s+Age has \d+ grid values\.\s+How impact is counted/);
});

test("notes are counted by the details and stand in them, those on the open feature first", async () => {
  const notes = [
    { feature: null, text: "One column is used for colouring only." },
    { feature: "Age", text: "The grid has 100 of 612 values." },
    { feature: "Marker", text: "91 % of the impact comes from the step 1.79 → 1.81." },
  ];
  const { parts, part, model } = mount(kernel.model({ feature: "Marker", _header: { ...kernel.header, notes } }));
  await frame();
  const texts = () => parts("note").map(({ textContent }) => textContent);
  expect(texts()).toEqual([
    "Marker 91 % of the impact comes from the step 1.79 → 1.81.",
    "One column is used for colouring only.",
    "Age The grid has 100 of 612 values.",
  ]);
  expect(part("details-summary").textContent).toBe("Details and 3 notes");
  model.push("feature", "Age");
  await frame();
  expect(texts()[0]).toBe("Age The grid has 100 of 612 values.");
});

test("a kernel that stopped is said to have stopped, and the slider still works", async () => {
  const mounted = mount(kernel.model({ decay: 1 }));
  const { root, part, order, model } = mounted;
  await settled(mounted); // a late reply would say that the kernel is there
  model.emit("comm_live_update");
  await frame();
  expect(root.dataset.status).toBe("gone");
  expect(part("status-text").textContent).toBe(KERNEL_GONE);
  const before = order();
  const slider = part<HTMLInputElement>("decay-slider");
  slider.focus();
  await userEvent.keyboard("{Home}");
  await frame();
  expect(order()).not.toEqual(before);
});

test("a bundle of another protocol says so and shows no figures", async () => {
  const { part, parts } = mount(kernel.model({ _header: { ...kernel.header, protocol: PROTOCOL_VERSION + 1 } }));
  await frame();
  expect(part("status-text").textContent).toBe(
    `This view uses protocol ${PROTOCOL_VERSION}, the kernel uses protocol ${PROTOCOL_VERSION + 1}. Restart the kernel and reload the page.`,
  );
  expect(parts("bar")).toEqual([]);
});

test("what the kernel takes back is said where the status stands, until something else is set", async () => {
  const { part, model } = mount();
  await frame();
  model.emit("msg:custom", { type: "refused", message: "`max_lines` must be at least 1; got 0." }, []);
  await frame();
  expect(part("status-text").textContent).toBe("`max_lines` must be at least 1; got 0.");
  expect(part("status").dataset.tone).toBe("error");
  choose(part("rank-by"), "impact");
  await frame();
  expect(part("status").dataset.tone).toBe("ready");
});

test("figures that cannot be read are told of, and the rest of the page lives", async () => {
  const { part, model, drawn } = mount(kernel.model({ _impact: new Uint8Array(4) }));
  await frame();
  expect(part("status-text").textContent).toMatch(/^impact must have \d+ values; got 1\. Restart the kernel/);
  model.push("_impact", new Uint8Array(kernel.impact.buffer));
  await drawn(kernel.top);
  expect(part("status").dataset.tone).toBe("ready");
});

const ofTwo = (label: string) => ({ ...kernel.header, outputs: ["a", "b"], output_label: `probability of ${label}` });

test("another output waits for the call of the model that is under way, and the status line says so", async () => {
  const { part, model } = mount(kernel.model({ ...kernel.partial(3), _header: ofTwo("a"), output: "a" }));
  await frame();
  choose(part("output"), "b");
  await frame();
  expect(part("status-text").textContent).toBe(
    "Waiting for the current model call to finish. Your choice is explained next.",
  );
  model.push("_header", ofTwo("b"));
  await frame();
  expect(part("status-text").textContent).toBe("3 of 8 features · Marker");
});

test("where nothing is computed, another output is prepared; a refusal ends that", async () => {
  const { part, model } = mount(kernel.model({ feature: "Age", _header: ofTwo("a"), output: "a" }));
  await frame();
  choose(part("output"), "b");
  await frame();
  expect(part("status-text").textContent).toBe("Preparing your choice …");
  model.emit("msg:custom", { type: "refused", message: "The model failed." }, []);
  await frame();
  expect(part("status-text").textContent).toBe("The model failed.");
});
