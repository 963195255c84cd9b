/** An output with an explorer: the widget, or the picture that is stored beside it where there is no widget. */
import type { IRenderMime } from "@jupyterlab/rendermime-interfaces";
import { Panel, Widget } from "@lumino/widgets";

export const EXPLORER = "application/vnd.ice-explorer+json";
export const WIDGET = "application/vnd.jupyter.widget-view+json";
const PICTURE = "image/png";
const NOTE = "Run the cell to use the explorer.";

/** A picture appears no earlier, so that it does not flash up before an explorer that a cell has just made. */
const DELAY_MS = 300;
/** Without a kernel ipywidgets waits for ever. */
const LOADING_MS = 3000;

/** Makes the renderer of a MIME type, as the notebook's registry does. */
export type CreateRenderer = (mimeType: string) => IRenderMime.IRenderer;

export class ExplorerOutput extends Panel implements IRenderMime.IRenderer {
  readonly #createRenderer: CreateRenderer;
  readonly #image = document.createElement("img");
  readonly #note = document.createElement("div");
  readonly #stored = new Widget();
  readonly #observer = new MutationObserver(() => this.#update());
  #model: IRenderMime.IMimeModel | null = null;
  #modelId = "";
  /** Renderer of ipywidgets: a panel that has the view of the widget as its child, or says why it has none. */
  #widget: (IRenderMime.IRenderer & Panel) | null = null;
  #isDelayed = false;
  #isLoading = false;

  constructor(createRenderer: CreateRenderer) {
    super();
    this.#createRenderer = createRenderer;
    this.#image.style.maxWidth = "100%";
    this.#note.textContent = NOTE;
    this.#note.style.cssText = "padding: 4px 0; color: var(--jp-ui-font-color2)";
    this.#stored.node.dataset.test = "stored-explorer";
    this.#stored.node.append(this.#image, this.#note);
    this.addWidget(this.#stored);
  }

  /** The model whose widget is on the page; empty where there is none. */
  get modelId(): string {
    return this.#hasWidget ? this.#modelId : "";
  }

  get #hasWidget(): boolean {
    return (this.#widget?.widgets.length ?? 0) > 0;
  }

  /** Called again when the picture changes, which leaves the widget alone. */
  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.#model = model;
    const picture = model.data[PICTURE];
    this.#image.hidden = typeof picture !== "string";
    if (typeof picture === "string") this.#image.src = `data:image/png;base64,${picture}`;
    this.#image.alt = "Picture of an ICE explorer";
    const modelId = modelIdOf(model);
    if (this.#widget === null || modelId !== this.#modelId) await this.#showWidget(model, modelId);
    this.#update();
  }

  /** Looks for the widget again, when ipywidgets has a manager for it. */
  async refresh(): Promise<void> {
    if (this.#model === null || this.#hasWidget) return;
    await this.#showWidget(this.#model, this.#modelId);
    this.#update();
  }

  /** Stores another picture in the output. */
  store(picture: string): void {
    const model = this.#model;
    if (this.isDisposed || model === null || model.data[PICTURE] === picture) return;
    model.setData({ data: { ...model.data, [PICTURE]: picture } });
  }

  override dispose(): void {
    this.#observer.disconnect();
    super.dispose();
  }

  async #showWidget(model: IRenderMime.IMimeModel, modelId: string): Promise<void> {
    this.#widget?.dispose();
    this.#widget = null;
    this.#modelId = modelId;
    if (!model.trusted || modelId === "") return; // a widget would run code of somebody else
    const widget = this.#createRenderer(WIDGET) as IRenderMime.IRenderer & Panel;
    this.#widget = widget;
    this.#isDelayed = this.#isLoading = true;
    this.addWidget(widget);
    this.#observer.disconnect();
    this.#observer.observe(widget.node, { childList: true });
    setTimeout(() => {
      this.#isDelayed = false;
      this.#update();
    }, DELAY_MS);
    const limit = new Promise((resolve) => setTimeout(resolve, LOADING_MS));
    await Promise.race([widget.renderModel(model), limit]).catch(() => undefined); // as without a widget
    if (widget === this.#widget) this.#isLoading = false;
  }

  #update(): void {
    if (this.isDisposed) return;
    this.#note.hidden = this.#isLoading;
    this.#stored.node.hidden = this.#hasWidget || this.#isDelayed;
    // While a widget is loaded ipywidgets says so; afterwards the note says more than its error.
    if (this.#widget !== null) this.#widget.node.style.display = this.#hasWidget || this.#isLoading ? "" : "none";
  }
}

function modelIdOf(model: IRenderMime.IMimeModel): string {
  const view = model.data[WIDGET] as { model_id?: unknown } | undefined;
  return typeof view?.model_id === "string" ? view.model_id : "";
}
