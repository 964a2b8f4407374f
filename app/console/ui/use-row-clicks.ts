import { type RefObject, useLayoutEffect } from "react";

/** How far the mouse may move in a click, in pixels. */
const CLICK_PX_MAX = 4;

/**
 * Opens a row's link on a click anywhere in the row, except on its other controls. Users can select text in rows, including
 * the link's: a drag that selects text isn't a click.
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
      if (link !== null) openLink(link, event);
    }
    // Before the link's own handler, and those of the document that ask before the page is left.
    function dropDrag(event: MouseEvent) {
      if (!pressed || !isDrag(pressed, event) || !isOnLink(event, element)) return;
      event.preventDefault();
      event.stopPropagation();
    }
    // Hovering over the link prefetches its page.
    function hoverLink(event: MouseEvent) {
      const link = linkOfRow(event);
      if (link === null || link === hovered) return;
      hovered = link;
      link.dispatchEvent(new MouseEvent("mouseover", { bubbles: true }));
    }

    function press(event: PointerEvent) {
      pressed = event;
      // Touchscreens have no hover.
      hoverLink(event);
    }

    element.addEventListener("pointerdown", press, { signal });
    // In Firefox, the click of the Enter key has coordinates, so it could look like a drag.
    element.addEventListener("keydown", () => (pressed = null), { signal });
    element.addEventListener("mousedown", preventScrolling, { signal });
    window.addEventListener("click", dropDrag, { signal, capture: true });
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

const isOnLink = ({ target }: MouseEvent, table: HTMLElement): boolean =>
  target instanceof Element && table.contains(target.closest("[data-row-link]"));

function openLink(link: HTMLElement, event: MouseEvent): void {
  // Shift extends a selection.
  if (event.button > 1 || event.shiftKey || event.altKey) return;
  const isElsewhere = event.ctrlKey || event.metaKey || event.button === 1;
  if (isElsewhere && link instanceof HTMLAnchorElement) {
    // Without `noopener`, the new tab would get a copy of this tab's storage, and share its drafts.
    window.open(link.href, "_blank", "noopener");
  } else if (event.button === 0) {
    // Where a dialog returns the focus.
    link.focus({ preventScroll: true });
    link.click();
  }
}

/** A middle click opens a tab instead of scrolling. */
function preventScrolling(event: MouseEvent): void {
  if (event.button === 1 && linkOfRow(event)) event.preventDefault();
}

/** The link of the row under the pointer; null on controls, including the link itself. */
function linkOfRow({ target }: MouseEvent): HTMLElement | null {
  if (!(target instanceof Element)) return null;
  if (target.closest("a, button, input, label, [data-kind=actions]")) return null;
  return target.closest("[role=row]")?.querySelector<HTMLElement>("[data-row-link]") ?? null;
}
