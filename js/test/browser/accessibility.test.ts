/** Every case of the catalogue as those meet it who do not see it, or not well. */
import axe from "axe-core";
import { expect, test } from "vitest";
import { cases } from "../../dev/catalogue.ts";
import { contrasts } from "./contrast.ts";
import { dress, hosts, settled } from "./hosts.ts";
import { frame, mount } from "./mount.ts";

test.each(Object.keys(cases))("%s has no serious finding, and no faint text in any host", async (name) => {
  const mounted = mount(cases[name]!());
  await settled(mounted);
  // All that axe looks at besides colours is the same in every host. Of colours it asks no more than is asked below.
  const options = { resultTypes: ["violations" as const], rules: { "color-contrast": { enabled: false } } };
  const { violations } = await axe.run(mounted.root, options);
  const found = violations.filter(({ impact }) => impact === "serious" || impact === "critical");
  const said = found.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html, failureSummary }) => `${html} ${failureSummary}`).join(" | ")}`,
  );
  expect(said).toEqual([]);
  for (const [host, variables] of Object.entries(hosts)) {
    await dress(mounted, variables);
    await frame();
    // Text in SVG and text behind an opacity, too, which axe leaves out.
    expect(
      contrasts(mounted.root).filter(([, ratio]) => ratio < 4.5),
      host,
    ).toEqual([]);
  }
});
