/** The status line: progress, what stopped it, Cancel and Resume, notes, and a kernel that is gone. */
import { expect, test } from "vitest";
import { userEvent } from "vitest/browser";
import { KERNEL_GONE } from "../../src/wire/client.ts";
import { PROTOCOL_VERSION, type Status } from "../../src/wire/protocol.ts";
import { settled } from "./hosts.ts";
import { choose, frame, kernel, type Mounted, mount, mountFrame, openMenu, press } from "./mount.ts";

const status = (state: Status["state"], message = "", done = 3): Status => ({
  state,
  done,
  total: 8,
  label: state === "computing" ? "Marker" : "",
  message,
  n_rows: null,
  n_all: null,
});
const CANCELLED = status("cancelled", "Cancelled after 3 of 8 features.");

/** An explorer of which three features are computed. */
async function mountPart(overrides: Parameters<typeof kernel.model>[0] = {}): Promise<Mounted> {
  const mounted = await mountFrame(kernel.model({ ...kernel.partial(3), ...overrides }));
  return mounted;
}

const sent = ({ model }: Mounted, wanted: string) => model.sent.filter(({ type }) => type === wanted).length;

test("progress names how far it is and the feature at work; Cancel asks the kernel to stop, and Resume to go on; the focus goes with them", async () => {
  const mounted = await mountPart();
  const { root, part, model } = mounted;
  expect(root.dataset.status).toBe("computing");
  expect(part("status-text").textContent).toBe("3 of 8 features · Marker");
  const { value, max } = part<HTMLProgressElement>("progress");
  expect([value, max]).toEqual([3, 8]);
  part("cancel").focus();
  await userEvent.keyboard("{Enter}");
  expect(sent(mounted, "cancel")).toBe(1);
  model.push("_status", CANCELLED);
  await frame();
  expect([root.dataset.status, part("status-text").textContent]).toEqual(["cancelled", CANCELLED.message]);
  expect([part("cancel").hidden, document.activeElement]).toEqual([true, part("resume")]);
  model.delay = 300;
  await userEvent.keyboard("{Enter}{Enter}");
  expect(sent(mounted, "resume")).toBe(1);
  model.push("_status", status("computing"));
  await frame();
  expect([part("resume").hidden, document.activeElement]).toEqual([true, part("cancel")]);
  model.push("_status", status("ready", "", 8));
  await frame();
  expect(document.activeElement).toBe(part("status-text").parentElement);
});

test("an error is its sentence, and what failed can be resumed", async () => {
  const message = "predict() returned shape (200, 1) for 200 rows; expected (200,).";
  const { part } = await mountPart({ _status: status("error", message) });
  expect(part("status-text").textContent).toBe(message);
  expect(part("status").dataset.tone).toBe("error");
  expect(part("resume").checkVisibility()).toBe(true);
});

test("there is nothing to resume while it computes, when all is there, or without a kernel", async () => {
  const mounted = await mountPart();
  const { part, model } = mounted;
  await settled(mounted); // a late reply would say that the kernel is there
  await expect.poll(() => part("resume").hidden).toBe(true);
  model.push("_status", status("error", "Stopped.", 8));
  await expect.poll(() => part("resume").hidden).toBe(true);
  model.push("_status", status("error", "Stopped."));
  await expect.poll(() => part("resume").hidden).toBe(false);
  model.emit("comm_live_update");
  await expect.poll(() => part("resume").hidden).toBe(true);
});

test("when all is done it says how many rows and features there are; what few need is folded away", async () => {
  const mounted = await mountFrame(kernel.model({ feature: "Age", _header: { ...kernel.header, notes: [] } }));
  const { part } = mounted;
  expect(part("status-text").textContent).toBe("300 observations · 8 features");
  expect(part("status").getBoundingClientRect().width).toBe(1); // the line of context says so
  await openMenu(mounted);
  const details = part<HTMLDetailsElement>("details");
  expect([details.open, part("details-summary").textContent]).toEqual([false, "Details"]);
  await userEvent.click(part("details-summary"));
  expect(details.innerText).toMatch(/Method\s+brute: .*\s+How impact is counted/);
});

test("notes are counted by the details and stand in them, those on the open feature first", async () => {
  const notes = [
    { feature: null, text: "One column is used for colouring only." },
    { feature: "Age", text: "The grid has 100 of 612 values." },
    { feature: "Marker", text: "91 % of the impact comes from the step 1.79 → 1.81." },
  ];
  const { parts, part, model } = await mountFrame(
    kernel.model({ feature: "Marker", _header: { ...kernel.header, notes } }),
  );
  const texts = () => parts("note").map(({ textContent }) => textContent);
  expect(texts()).toEqual([`Marker: ${notes[2]!.text}`, notes[0]!.text, `Age: ${notes[1]!.text}`]);
  expect(part("details-summary").textContent).toBe("Details and 3 notes");
  model.push("feature", "Age");
  await frame();
  expect(texts()[0]).toBe(`Age: ${notes[1]!.text}`);
});

test("a kernel that stopped is said to have stopped, above the panels, and the slider still works", async () => {
  const mounted = mount(kernel.model({ decay: 1 }));
  const { root, part, order, model } = mounted;
  await settled(mounted); // a late reply would say that the kernel is there
  model.emit("comm_live_update");
  await frame();
  expect(root.dataset.status).toBe("gone");
  expect(part("status-text").textContent).toBe(KERNEL_GONE);
  expect(part("status").getBoundingClientRect().bottom).toBeLessThan(part("bars").getBoundingClientRect().top);
  const before = order();
  part("decay-slider").focus();
  await press("{Home}");
  expect(order()).not.toEqual(before);
});

test("a bundle of another protocol says so and shows no figures", async () => {
  const { part, parts } = await mountFrame(
    kernel.model({ _header: { ...kernel.header, protocol: PROTOCOL_VERSION + 1 } }),
  );
  expect(part("status-text").textContent).toBe(
    `This view uses protocol ${PROTOCOL_VERSION}, the kernel uses protocol ${PROTOCOL_VERSION + 1}. Restart the kernel and reload the page.`,
  );
  expect(parts("bar")).toEqual([]);
});

test("what the kernel takes back is said where the status stands, until something else is set", async () => {
  const { part, model } = await mountFrame();
  model.emit("msg:custom", { type: "refused", message: "`max_lines` must be at least 1; got 0." }, []);
  await frame();
  expect(part("status-text").textContent).toBe("`max_lines` must be at least 1; got 0.");
  expect(part("status").dataset.tone).toBe("error");
  await choose(part("rank-by"), "impact");
  expect(part("status").dataset.tone).toBe("ready");
});

test("figures that cannot be read are told of, and the rest of the page lives", async () => {
  const { part, model, drawn } = await mountFrame(kernel.model({ _impact: new Uint8Array(3) }));
  expect(part("status-text").textContent).toMatch(/multiple of 4.* Restart the kernel and reload/);
  model.push("_impact", new Uint8Array(kernel.impact.buffer));
  await drawn(kernel.top);
  expect(part("status").dataset.tone).toBe("ready");
});

test.each([true, false])(
  "another output waits for the model, until it is explained or refused; computing: %s",
  async (isComputing) => {
    const ofTwo = (label: string) => ({
      ...kernel.header,
      outputs: ["a", "b"],
      output_label: `probability of ${label}`,
    });
    const state = { feature: "Age", _header: ofTwo("a"), output: "a" };
    const { part, model } = mount(kernel.model({ ...(isComputing ? kernel.partial(3) : {}), ...state }));
    await frame();
    await choose(part("output"), "b");
    expect(part("status-text").textContent).toBe(
      isComputing
        ? "Waiting for the current model call to finish. Your choice is explained next."
        : "Preparing your choice …",
    );
    if (isComputing) model.push("_header", ofTwo("b"));
    else model.emit("msg:custom", { type: "refused", message: "The model failed." }, []);
    await frame();
    expect(part("status-text").textContent).toBe(isComputing ? "3 of 8 features · Marker" : "The model failed.");
  },
);
