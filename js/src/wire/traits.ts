/** Traits as the kernel sent them; those of a kernel with another protocol are not read. */
import type { AnyModel } from "@anywidget/types";
import { DOCUMENT_DEFAULTS, type Header, PROTOCOL_VERSION, type Traits } from "./protocol.ts";

const NOTHING: Readonly<Traits> = {
  ...DOCUMENT_DEFAULTS,
  output: "",
  response: "",
  convention: "step",
  distance: "marginal",
  model: "",
  _view: {},
  _given: [],
  _status: { state: "computing", done: 0, total: 0, label: "", message: "", n_rows: null, n_all: null },
  _header: {} as Header,
  _impact: new ArrayBuffer(0),
  _profile: new ArrayBuffer(0),
  _models_impact: new ArrayBuffer(0),
  _models_profile: new ArrayBuffer(0),
};

/** Whether what a kernel sends can be read. */
export const isOurs = ({ protocol }: Header): boolean => protocol === PROTOCOL_VERSION;

export function traitOf<K extends keyof Traits>(model: AnyModel<Traits>, key: K): Traits[K] {
  const header = model.get("_header") ?? NOTHING._header;
  if (key === "_header") return header as Traits[K];
  // A kernel that has sent no header yet may have set traits.
  return header.protocol === undefined || isOurs(header) ? (model.get(key) ?? NOTHING[key]) : NOTHING[key];
}
