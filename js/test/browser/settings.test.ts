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
  const theme = root.dataset.theme as "light";
  await expect.poll(() => first(mounted)).toBe(start(theme, "cividis"));
  expect(part<HTMLSelectElement>("ramp").value).toBe("cividis");
  expect(model.get("_view")).toEqual({});
  setTo({ palette: "viridis" });
  await expect.poll(() => first(mounted)).toBe(start(theme, "viridis"));
  choose(part("ramp"), "default");
  await expect.poll(() => first(mounted)).toBe(start(theme, "default"));
  expect(model.get("_view")).toEqual({ palette: "default" });
  setTo({ palette: "cividis" });
  await frame();
  expect(first(mounted)).toBe(start(theme, "default"));
});

test("another ramp draws the lines anew", async () => {
  const { part } = await mountDrawn(kernel.model({ feature: "Age", color_by: "BMI" }));
  await frame();
  const canvas = part<HTMLCanvasElement>("curves-canvas");
  const shown = () => canvas.getContext("2d")!.getImageData(0, 0, canvas.width, canvas.height).data.join();
  const before = shown();
  expect(ink(canvas)).toBeGreaterThan(100);
  choose(part("ramp"), "cividis");
  await expect.poll(shown).not.toBe(before);
});

test("the number of lines is taken where nobody chose one, and follows", async () => {
  setTo({ max_lines: 50 });
  const { model } = mount(kernel.model({ feature: "Age", max_lines: 1000 }));
  expect(model.get("max_lines")).toBe(50);
  expect(model.get("_given")).toEqual([]);
  setTo({ max_lines: 100 });
  expect(model.get("max_lines")).toBe(100);
  setTo({});
  expect(model.get("max_lines")).toBe(100);
});

test("a number of lines that Python set stays", async () => {
  setTo({ max_lines: 50 });
  const { model } = mount(kernel.model({ feature: "Age", max_lines: 1000, _given: ["max_lines"] }));
  expect(model.get("max_lines")).toBe(1000);
  setTo({ max_lines: 60 });
  expect(model.get("max_lines")).toBe(1000);
});

test("a number of lines that the reader chose stays", async () => {
  setTo({ max_lines: 50 });
  const { part, model } = await mountDrawn(kernel.model({ feature: "Age", max_lines: 1000 }));
  choose(part("max-lines"), "200");
  expect(model.get("max_lines")).toBe(200);
  expect(model.get("_given")).toEqual(["max_lines"]);
  setTo({ max_lines: 60 });
  expect(model.get("max_lines")).toBe(200);
});

test("a view that is gone no longer follows", async () => {
  const { model, end } = mount(kernel.model({ feature: "Age", max_lines: 1000 }));
  end();
  setTo({ max_lines: 50 });
  expect(model.get("max_lines")).toBe(1000);
});
