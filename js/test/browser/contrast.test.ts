import { expect, test } from "vitest";
import { drafted } from "../../dev/drafts.ts";
import { contrasts } from "./contrast.ts";
import { dress, hosts } from "./hosts.ts";
import { frame, kernel, mount } from "./mount.ts";

const failed = {
  state: "error",
  done: 3,
  total: 8,
  label: "Marker",
  message: "The model failed.",
  n_rows: null,
  n_all: null,
} as const;

test.each(Object.entries(hosts))("all text stands out at least 4.5 : 1 in %s", async (_host, variables) => {
  const models = [
    kernel.model({ feature: "Age", color_by: "Ward", kind: "c-ice", selection: [0] }),
    kernel.model({ ...kernel.partial(3), feature: "", _status: failed }),
    kernel.model({ feature: "Age", color_by: "Ward", _view: { left: "map", right: "all", shared_y: true } }),
    drafted(kernel.model({ feature: "Age" }), { nRows: 512, nAll: 100_000, nExact: 3 }),
    drafted(kernel.model({ feature: "Age", _view: { right: "all" } }), { nRows: 512, nAll: 100_000 }),
    kernel.model({ feature: "Age", _view: { left: "map", compared: ["Age", "BMI"] } }),
  ];
  for (const model of models) {
    const mounted = mount(model);
    await dress(mounted, variables);
    await frame();
    const measured = contrasts(mounted.root);
    expect(measured.length).toBeGreaterThan(20);
    expect(measured.filter(([, ratio]) => ratio < 4.5)).toEqual([]);
  }
});
