/** What JupyterLab is set to, and what stands over it. */
import { expect, test } from "vitest";
import { rampPalette } from "../../src/geometry/palette.ts";
import { hosts } from "./hosts.ts";
import { choose, frame, ink, kernel, type Mounted, mount, mountDrawn } from "./mount.ts";
import { setTo } from "./settings.ts";

const first = ({ part }: Mounted): string =>
  getComputedStyle(part("legend").querySelector(".ice-ramp")!).backgroundImage.match(/rgb\([^)]*\)/)![0];
const start = (theme: "light" | "dark", ramp: "default" | "viridis" | "cividis"): string =>
  `rgb(${[...rampPalette(theme, ramp).colors.slice(0, 3)].join(", ")})`;

test("a theme is taken whatever the host's is, and given back", async () => {
  setTo({ theme: "dark" });
  const mounted = mount(kernel.model({ feature: "Age" }));
  const { root } = mounted;
  for (const [name, value] of Object.entries(hosts["JupyterLab's light theme"]!)) {
    root.parentElement!.style.setProperty(name, value);
  }
  await expect.poll(() => root.dataset.theme).toBe("dark");
  expect(getComputedStyle(root).backgroundColor).toBe("rgb(20, 23, 26)");
  setTo({ theme: "auto" });
  await expect.poll(() => root.dataset.theme).toBe("light");
  setTo({ theme: "nonsense" });
  await frame();
  expect(root.dataset.colors).toBe("auto");
});

test("a ramp colours lines and legend, until the reader chooses one", async () => {
  setTo({ palette: "cividis" });
  const mounted = await mountDrawn(kernel.model({ feature: "Age", color_by: "BMI" }));
  const { part, model, root } = mounted;
  const canvas = part<HTMLCanvasElement>("curves-canvas");
  const shown = () => canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data.join();
  const theme = root.dataset.theme as "light";
  await expect.poll(() => first(mounted)).toBe(start(theme, "cividis"));
  expect(part<HTMLSelectElement>("ramp").value).toBe("cividis");
  expect(model.get("_view")).toEqual({});
  const before = shown();
  expect(ink(canvas)).toBeGreaterThan(100);
  setTo({ palette: "viridis" });
  await expect.poll(shown).not.toBe(before);
  await expect.poll(() => first(mounted)).toBe(start(theme, "viridis"));
  choose(part("ramp"), "default");
  await expect.poll(() => first(mounted)).toBe(start(theme, "default"));
  expect(model.get("_view")).toEqual({ palette: "default" });
  setTo({ palette: "cividis" });
  await frame();
  expect(first(mounted)).toBe(start(theme, "default"));
});

test("the number of lines is taken and followed until the reader chooses one, and while the view is there", async () => {
  setTo({ max_lines: 50 });
  const { part, model, end } = await mountDrawn(kernel.model({ feature: "Age", max_lines: 1000 }));
  const set = (settings: unknown) => {
    setTo(settings);
    return [model.get("max_lines"), model.get("_given")];
  };
  expect([model.get("max_lines"), set({ max_lines: 100 }), set({})]).toEqual([50, [100, []], [100, []]]);
  const other = mount(kernel.model({ feature: "Age", max_lines: 1000 }));
  other.end();
  choose(part("max-lines"), "200");
  expect(set({ max_lines: 60 })).toEqual([200, ["max_lines"]]);
  expect(other.model.get("max_lines")).toBe(1000);
  end();
});

test("a number of lines that Python set stays", async () => {
  setTo({ max_lines: 50 });
  const { model } = mount(kernel.model({ feature: "Age", max_lines: 1000, _given: ["max_lines"] }));
  expect(model.get("max_lines")).toBe(1000);
  setTo({ max_lines: 60 });
  expect(model.get("max_lines")).toBe(1000);
});
