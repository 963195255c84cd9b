import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { Panel, Widget } from "@lumino/widgets";
import { afterEach, expect, test } from "vitest";
import { ExplorerOutput, WIDGET } from "../../src/stored_picture.ts";

const NOTE = "Run the cell to use the explorer.";
/** A PNG of one pixel. */
const PICTURE = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";

/** The renderer of ipywidgets: it has a view, fails, or waits for ever. */
class WidgetRenderer extends Panel implements IRenderMime.IRenderer {
  readonly #has: "view" | "error" | "nothing";
  renderings = 0;

  constructor(has: "view" | "error" | "nothing") {
    super();
    this.#has = has;
  }

  async renderModel(): Promise<void> {
    this.renderings++;
    this.node.textContent = "Loading widget...";
    if (this.#has === "nothing") return new Promise(() => undefined);
    this.node.textContent = this.#has === "error" ? "Error displaying widget: model not found" : "";
    if (this.#has === "view") this.addWidget(new Widget());
    return Promise.resolve();
  }
}

class Model implements IRenderMime.IMimeModel {
  trusted = true;
  data: Record<string, never> = { [WIDGET]: { model_id: "a" }, "image/png": PICTURE } as never;
  metadata = {};
  setData({ data }: IRenderMime.IMimeModel.ISetDataOptions): void {
    this.data = data as never;
  }
}

const shown: Widget[] = [];
afterEach(() => {
  for (const widget of shown.splice(0)) widget.dispose();
});

async function show(has: "view" | "error" | "nothing", model = new Model()) {
  const renderers: WidgetRenderer[] = [];
  const output = new ExplorerOutput(() => {
    renderers.push(new WidgetRenderer(has));
    return renderers.at(-1)!;
  });
  shown.push(output);
  Widget.attach(output, document.body);
  void output.renderModel(model);
  await Promise.resolve();
  return { output, model, renderers };
}

const text = (output: ExplorerOutput): string => output.node.innerText.trim();
const image = (output: ExplorerOutput): HTMLImageElement => output.node.querySelector("img")!;

test("a widget is shown without its picture", async () => {
  const { output } = await show("view");
  await expect.poll(() => output.modelId).toBe("a");
  expect(image(output).checkVisibility()).toBe(false);
  expect(text(output)).toBe("");
});

test("where the widget is not there, its picture is", async () => {
  const { output } = await show("error");
  await expect.poll(() => image(output).checkVisibility()).toBe(true);
  expect(text(output)).toBe(NOTE);
  expect(output.modelId).toBe("");
});

test("without a kernel, where ipywidgets waits for ever, the note appears all the same", async () => {
  const { output } = await show("nothing");
  await expect.poll(() => image(output).checkVisibility()).toBe(true);
  expect(text(output)).toBe("Loading widget...");
  await expect.poll(() => text(output)).toBe(NOTE);
});

test("a notebook that is not trusted makes no widget", async () => {
  const model = new Model();
  model.trusted = false;
  const { output, renderers } = await show("view", model);
  await expect.poll(() => text(output)).toBe(NOTE);
  expect(renderers).toEqual([]);
});

test("another picture leaves the widget alone, and an equal one the output", async () => {
  const { output, model, renderers } = await show("view");
  await expect.poll(() => output.modelId).toBe("a");
  const { data } = model;
  output.store(PICTURE);
  expect(model.data).toBe(data);
  output.store(`${PICTURE.slice(0, -4)}AAAA`);
  expect(model.data["image/png"]).not.toBe(PICTURE);
  await output.renderModel(model);
  expect(renderers.map(({ renderings }) => renderings)).toEqual([1]);
});

test("an explorer whose page goes with its kernel leaves the picture", async () => {
  const { output, renderers } = await show("view");
  await expect.poll(() => output.modelId).toBe("a");
  renderers[0]!.widgets[0]!.dispose();
  await expect.poll(() => image(output).checkVisibility()).toBe(true);
  expect(text(output)).toBe(NOTE);
});
