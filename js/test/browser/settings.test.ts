/** What JupyterLab is set to, and what stands over it. */
import { expect, test } from "vitest";
import { hosts } from "./hosts.ts";
import { choose, kernel, mount, mountDrawn } from "./mount.ts";
import { setTo } from "./settings.ts";

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
  expect(root.dataset.colors).toBe("auto");
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
