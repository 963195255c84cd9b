/** Buttons that submit nothing. */
import { type Attributes, html } from "./element.ts";

export const pushButton = (attributes: Attributes, ...children: (Node | string)[]): HTMLButtonElement =>
  html("button", { type: "button", ...attributes }, ...children);
