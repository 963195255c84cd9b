/** A page without a kernel answers as the kernel does: both tell of the same data, written down by Python's tests. */
import type { AnyModel } from "@anywidget/types";
import { describe, expect, test } from "vitest";
import { type ReadBlob, RecordedModel, type Recording, readRecording } from "../../src/standalone/recorded_model.ts";
import { Cancelled, KernelError, ModelClient } from "../../src/wire/client.ts";
import type { CurvesBody, CurvesRequest, IntervalsRequest, Request, RowsBody } from "../../src/wire/protocol.ts";
import { decodeProfile } from "../../src/wire/tables.ts";
import { blobs, bytes, contract, type Reply } from "../replies.ts";

const whole: ReadBlob = (blob) => blobs[blob]!;
const recording = await readRecording(whole);
const read = (changed: Partial<Recording> = {}) => RecordedModel.read({ ...recording, ...changed }, whole);
const page = await read();
const clientOf = (model: RecordedModel) => new ModelClient(model as AnyModel, model);
const client = () => clientOf(page);
const without = (type: string) => read({ replies: recording.replies.filter(({ request }) => request.type !== type) });

const all = (curves: string, selection: number[] = []): CurvesRequest => ({
  type: "curves",
  feature: curves,
  max_lines: 12,
  selection,
});

test("curves of the open model are found by its name, those of no model are not", async () => {
  const several = clientOf(await read({ traits: { ...recording.traits, model: "forest" } }));
  expect(await several.request({ ...all("age"), model: "forest" })).toEqual(await client().request(all("age")));
  await expect(several.request({ ...all("age"), model: "line" })).rejects.toThrow(KernelError);
});

test("what was not switched on when a page was saved is not answered", async () => {
  const fewer = clientOf(await without("unlike"));
  expect([fewer.answers("effects"), fewer.answers("unlike")]).toEqual([true, false]);
  await expect(fewer.request({ type: "unlike", feature: "age", positions: [] })).rejects.toThrow(KernelError);
});

describe("what the kernel answers", () => {
  // The page was saved without what was observed, which some of the replies have.
  const isOnPage = ({ request, body }: Reply): boolean => {
    if (request.type === "curves") return (body as CurvesBody).n_lines === 12;
    return request.type !== "rows" || (body as RowsBody).n_outcomes === 1;
  };
  const elsewhere = ["classes", "what_if", "in_common", "export"];
  const answered = contract.replies.filter((reply) => isOnPage(reply) && !elsewhere.includes(reply.request.type));

  test.each(answered)("is what the page answers: $request", async (reply) => {
    const request = reply.request.type === "curves" ? all(reply.request.feature) : reply.request;
    const body = await client().request(request);
    if (request.type !== "curves") expect(body).toEqual(reply.body);
    else expect({ ...(body as CurvesBody), target: null }).toEqual({ ...(reply.body as CurvesBody), target: null });
  });

  test("are the traits that a page begins with", async () => {
    expect({ ...page.get("_header"), version: "" }).toEqual(contract.header);
    const shown = (["feature", "selection", "max_lines", "convention"] as const).map((name) => page.get(name));
    expect(shown).toEqual(["income", [11], 12, "paper"]);
    const [got, wanted] = [page.get("_profile"), bytes(contract.profile[0])].map((table) =>
      decodeProfile(contract.header, table),
    );
    for (const [at] of contract.header.features.entries()) {
      const of = (profile: typeof got) => contract.header.profiles.map((name) => profile!.get(name, at, 0.3));
      expect(of(got)).toEqual(of(wanted));
    }
  });
});

describe("fewer lines", () => {
  const values = (request: CurvesRequest) => client().request(request);

  test("are those selected and one of each part of the sorted values, missing ones last", async () => {
    const few = await values({ ...all("age", [2]), max_lines: 4 });
    const every = await values(all("age"));
    expect(Array.from(few.positions)).toContain(2);
    expect(Array.from(few.positions)).toEqual(Array.from(few.positions).sort((a, b) => a - b));
    for (const [line, row] of few.positions.entries()) {
      const [from, to] = [line * few.n_grid, (line + 1) * few.n_grid];
      expect(few.values.slice(from, to)).toEqual(every.values.slice(row * few.n_grid, (row + 1) * few.n_grid));
      expect(few.observed[line]).toBe(every.observed[row]);
      expect(few.missing!.values[line]).toBe(every.missing!.values[row]);
      expect(few.row_labels![line]).toBe(every.row_labels![row]);
    }
    expect(few.partial_dependence).toEqual(every.partial_dependence);
    const sorted = [...every.observed].sort((a, b) => (Number.isNaN(a) ? 1 : Number.isNaN(b) ? -1 : a - b));
    const spread = [1, 4, 7, 10].map((at) => sorted[at]!);
    expect([...few.observed].sort()).toEqual([...spread, every.observed[2]!].sort());
    expect([client().mostLines, client().hasKernel]).toEqual([12, false]); // so that nobody is offered more
  });

  test("of levels without an order keep their distances", async () => {
    const [few, every] = [await values({ ...all("town"), max_lines: 3 }), await values(all("town"))];
    expect(few.distances!.length).toBe(3 * few.n_grid);
    const row = few.positions[1]!;
    const wanted = every.distances!.slice(row * few.n_grid, (row + 1) * few.n_grid);
    expect(few.distances!.slice(few.n_grid, 2 * few.n_grid)).toEqual(wanted);
  });
});

describe("intervals", () => {
  const asked: IntervalsRequest = {
    type: "intervals",
    rank_by: "in_distribution_impact",
    level: 0.9,
    decay: 0.75,
  };
  const low = async (request: IntervalsRequest) => {
    return (await client().request(request)).intervals!.low;
  };

  test("are there where the page was saved with them, of metrics without decay at every decay", async () => {
    expect(client().answers("intervals")).toBe(true);
    expect(clientOf(await without("intervals")).answers("intervals")).toBe(false);
    expect(await low({ ...asked, rank_by: "impact", decay: 0.1 })).toEqual(await low({ ...asked, rank_by: "impact" }));
    expect(await low({ ...asked, decay: 1 })).toEqual(await low({ ...asked, rank_by: "impact" }));
    expect(await low(asked)).not.toEqual(await low({ ...asked, rank_by: "impact" }));
  });

  test.each([[{ decay: 0.5 }], [{ level: 0.5 }]] as [Partial<IntervalsRequest>][])(
    "with %o are refused in a sentence",
    async (changed) => {
      await expect(client().request({ ...asked, ...changed })).rejects.toThrow(
        "This page was saved with intervals for weight 0.75 of far values.",
      );
    },
  );
});

describe("what needs a kernel", () => {
  test.each(["export", "classes", "cancel", "resume"])("%s is refused in a sentence", async (type) => {
    await expect(client().request({ type } as Request)).rejects.toThrow(KernelError);
    await expect(client().request({ type } as Request)).rejects.toThrow(/^This page was saved without its model/);
  });

  test.each([
    [{ type: "rows", positions: [99] }, "Row 99 is not on this page."],
    [{ type: "drivers", feature: "toString" }, "This page was saved without its model."],
    [
      { type: "two_way", first: "member", second: "income" },
      "This was not computed before the page was saved. Open it in the notebook, then save the page again.",
    ],
    [{ type: "colors", column: "__proto__", positions: [0] }, "This page was saved without its model."],
  ] as [Request, string][])("%o is not there", async (request, sentence) => {
    await expect(client().request(request)).rejects.toThrow(sentence);
  });

  test("a view that is gone is answered no more", async () => {
    const closed = client();
    closed.dispose();
    await expect(closed.request(all("age"))).rejects.toThrow(Cancelled);
  });

  test("a page that was cut says so", async () => {
    const sentence = "Part of this page is missing or damaged. Save the page again.";
    await expect(readRecording(() => blobs[0]!.slice(0, 40))).rejects.toThrow(sentence);
  });
});

test("a model without Jupyter tells of changes, and of nothing else", async () => {
  const model = await read();
  const heard: string[] = [];
  const listen = () => heard.push(model.get("kind"));
  model.on("change:kind", listen);
  model.set("kind", "c-ice");
  model.set("kind", "c-ice");
  model.set("decay", 0.5);
  expect(heard).toEqual(["c-ice"]);
  model.off("change:kind", listen);
  model.set("kind", "ice");
  expect(heard).toEqual(["c-ice"]);
});
