/** A button with a menu that works with the keyboard. */
import type { Signal } from "@preact/signals";
import type { ComponentChildren, ComponentProps } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { Button, buttonByKey } from "../ui/components.tsx";
import { moveBeside } from "../ui/move_to.ts";
import { placeUnder } from "../ui/placing.ts";
import { useView } from "./use_view.tsx";

interface MenuProps {
  /** The `data-test` of the button, and the class of button and menu together. */
  name: "export" | "view" | "why";
  title: string;
  isOpen: Signal<boolean>;
  /** Attributes of the button, with its label as children. */
  button: ComponentProps<"button">;
  class?: string;
  /** Items are buttons of the role `menuitem`, which close a menu; any content else is a group. */
  role: "menu" | "group";
  children: ComponentChildren;
}

export function Menu({ name, title, isOpen, button, class: kind = "", role, children }: MenuProps) {
  const { root } = useView();
  const [box, opener, menu] = [
    useRef<HTMLDivElement>(null),
    useRef<HTMLButtonElement>(null),
    useRef<HTMLDivElement>(null),
  ];
  const before = useRef<HTMLElement | null>(null);
  useLayoutEffect(() => {
    if (!isOpen.value) return;
    // For a shadow root, the document only has its host.
    const { activeElement } = root.getRootNode() as Document | ShadowRoot;
    before.current = activeElement === document.body ? null : (activeElement as HTMLElement | null);
    menu.current!.querySelector<HTMLElement>("[role=menuitem]")?.focus({ preventScroll: true });
    menu.current!.scrollTop = 0;
    moveBeside(menu.current!, opener.current!.getBoundingClientRect(), root, placeUnder);
    const press = (event: PointerEvent) => leave(event.composedPath()[0] ?? null);
    document.addEventListener("pointerdown", press);
    return () => {
      document.removeEventListener("pointerdown", press);
      const { activeElement } = root.getRootNode() as Document | ShadowRoot;
      if (menu.current?.contains(activeElement)) (before.current ?? opener.current!).focus({ preventScroll: true });
    };
  }, [isOpen.value]);
  const leave = (target: EventTarget | null): void => {
    if (!box.current!.contains(target as globalThis.Node | null)) isOpen.value = false;
  };
  /** Closes the menu; its focus returns to what had it. */
  const close = (): void => {
    isOpen.value = false;
  };
  const press = (event: KeyboardEvent): void => {
    const item = role === "menu" ? buttonByKey(event, menu.current!) : undefined;
    if (!isOpen.value || (event.key !== "Escape" && item === undefined)) return;
    if (event.key === "Escape") close();
    else item!.focus({ preventScroll: true });
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <div
      ref={box}
      class={`ice-${name}`}
      onKeyDown={press}
      onFocusOut={({ relatedTarget }) => relatedTarget !== null && leave(relatedTarget)}
    >
      <Button
        ref={opener}
        aria-expanded={isOpen.value}
        data-test={name}
        onClick={() => {
          isOpen.value = !isOpen.peek();
        }}
        {...button}
      />
      {/* A press beside its controls moves the focus to the menu, not out of it to a cell of the notebook. */}
      <div
        ref={menu}
        class={`ice-menu ${kind}`}
        role={role}
        aria-label={title}
        tabIndex={-1}
        hidden={!isOpen.value}
        data-test={`${name}-menu`}
        onClickCapture={({ target }) => (target as Element).closest("[role=menuitem]") !== null && close()}
      >
        {children}
      </div>
    </div>
  );
}
