import { expect, test } from "vitest";
import schema from "../../../jupyter-config/labextension/schema/plugin.json";

test("the settings are those that explorers read", () => {
  expect(Object.keys(schema.properties).sort()).toEqual(["dpi", "format", "max_lines", "theme", "width"]);
});

test("every setting has a default, or overriding it would fail Lab's server, and with it all of Lab", () => {
  for (const rule of Object.values(schema.properties)) expect(rule).toHaveProperty("default");
});

test("every setting and its sentence end as they should", () => {
  for (const { title, description } of Object.values(schema.properties)) {
    expect(title).toMatch(/^[A-Z][a-zA-Z ]*$/);
    expect(description).toMatch(/^[A-Z].*\.$/);
  }
});
