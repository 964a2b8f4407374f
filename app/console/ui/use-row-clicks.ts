import { type RefObject, useLayoutEffect } from "react";

/** How far the mouse may move in a click, in pixels. */
const CLICK_PX_MAX = 4;

/**
 * A click anywhere in a row of the table follows the row's link, except on other controls. The text of rows can be
 * selected, the link's too: a drag that selected text isn't a click.
 */
export function useRowClicks(table: RefObject<HTMLElement | null>): void {
  useLayoutEffect(() => {
    const element = table.current!;
    const listening = new AbortController();
    const { signal } = listening;
    let pressed: PointerEvent | null = null;
    let hovered: HTMLElement | null = null;

    function handleClick(event: MouseEvent) {
      const link = pressed && isDrag(pressed, event) ? null : linkOfRow(event);
      if (link === null) return;
      const isElsewhere = event.ctrlKey || event.metaKey || event.button === 1;
      if (isElsewhere && link instanceof HTMLAnchorElement) window.open(link.href);
      else if (event.button === 0) link.click();
    }
    // In the capture phase, before the link's own handler.
    function dropDrag(event: MouseEvent) {
      if (!pressed || !isDrag(pressed, event)) return;
      event.preventDefault();
      event.stopPropagation();
    }
    // The link prefetches its page.
    function hoverLink(event: MouseEvent) {
      const link = linkOfRow(event);
      if (link === null || link === hovered) return;
      hovered = link;
      link.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    }

    element.addEventListener("pointerdown", (event) => (pressed = event), { signal });
    element.addEventListener("click", dropDrag, { signal, capture: true });
    element.addEventListener("click", handleClick, { signal });
    element.addEventListener("auxclick", handleClick, { signal });
    element.addEventListener("mouseover", hoverLink, { signal });
    return () => listening.abort();
  }, [table]);
}

/** `detail` is 0 for the keyboard and for scripts. */
const isDrag = (pressed: PointerEvent, { detail, clientX, clientY }: MouseEvent): boolean =>
  detail > 0 &&
  pressed.pointerType === "mouse" &&
  Math.hypot(clientX - pressed.clientX, clientY - pressed.clientY) > CLICK_PX_MAX &&
  getSelection()?.isCollapsed === false;

/** The link of the row under the pointer; null on controls, including the link itself. */
function linkOfRow({ target }: MouseEvent): HTMLElement | null {
  if (!(target instanceof Element)) return null;
  if (target.closest("a, button, input, label, [data-kind=actions]")) return null;
  return target.closest("[role=row]")?.querySelector<HTMLElement>("[data-row-link]") ?? null;
}
