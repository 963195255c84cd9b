/** Every case of the catalogue as those meet it who do not see it, or not well. */
import axe from "axe-core";
import { expect, test } from "vitest";
import { cases } from "../../dev/catalogue.ts";
import { contrasts } from "./contrast.ts";
import { dress, hosts, settled } from "./hosts.ts";
import { mount } from "./mount.ts";

const themes = Object.entries(hosts).filter(([name]) => name !== "an unknown host");
const table = Object.keys(cases).flatMap((name) => themes.map(([host, variables]) => ({ name, host, variables })));

test.each(table)("$name has no serious finding and no faint text in $host", async ({ name, variables }) => {
  const mounted = mount(cases[name]!());
  await dress(mounted, variables);
  await settled(mounted);
  const { violations } = await axe.run(mounted.root, { resultTypes: ["violations"] });
  const found = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const said = found.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(" | ")}`,
  );
  expect(said).toEqual([]);
  // Text in SVG, which axe leaves out, and text behind an opacity.
  expect(contrasts(mounted.root).filter(([, ratio]) => ratio < 4.5)).toEqual([]);
});
