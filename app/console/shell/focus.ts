import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";

/** Leaves dialogs and page transitions time to restore focus themselves. */
const PATIENCE_MS = 100;

const REMEMBERED_MAX = 12;

/** No text fields: phones would open their keyboard. */
const PRESSED = "a[href], button:enabled, select, input:is([type=checkbox], [type=radio]):enabled";

/** An element's ancestors, innermost first, with the child index that leads to it. */
type Place = { parent: Element; index: number };

type FocusedElement = { element: HTMLElement; path: Place[] };

/**
 * When the focused element is removed, such as a deleted row, moves focus to the element that took its
 * place, a neighbor, or the previously focused element. Otherwise Tab would restart at the top of the page.
 *
 * @param id of the element that contains the page
 */
export function useFocusRestore(id: string): void {
  useEffect(() => {
    const content = document.getElementById(id);
    if (!content) return;
    const history: FocusedElement[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;

    function remember({ target }: FocusEvent) {
      if (!(target instanceof HTMLElement)) return;
      history.unshift({ element: target, path: pathTo(target) });
      history.length = Math.min(history.length, REMEMBERED_MAX);
    }

    const isLost = () =>
      document.activeElement === document.body && history[0]?.element.isConnected === false;
    const watching = new MutationObserver(() => {
      if (!isLost()) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (isLost()) nextOf(history, content)?.focus({ preventScroll: true });
      }, PATIENCE_MS);
    });
    watching.observe(document.body, { childList: true, subtree: true });
    document.addEventListener("focusin", remember);
    return () => {
      clearTimeout(timer);
      watching.disconnect();
      document.removeEventListener("focusin", remember);
    };
  }, [id]);
}

function pathTo(element: Element): Place[] {
  const path: Place[] = [];
  for (let at = element; at.parentElement; at = at.parentElement)
    path.push({ parent: at.parentElement, index: [...at.parentElement.children].indexOf(at) });
  return path;
}

function nextOf(history: FocusedElement[], content: Element): HTMLElement | null {
  for (const entry of history) {
    const next = entry.element.isConnected ? entry.element : replacementOf(entry, content);
    if (next) return next;
  }
  const title = content.querySelector("h1");
  if (title) title.tabIndex = -1;
  return title;
}

/** The element now in the removed element's place, or a neighbor. */
function replacementOf({ element, path }: FocusedElement, content: Element): HTMLElement | null {
  const level = path.findIndex(({ parent }) => parent.isConnected);
  const place = path[level];
  if (!place || !isWithin(place.parent, content)) return null;
  const { parent, index } = place;
  const same = path
    .slice(0, level + 1)
    .reduceRight<Element | undefined>((at, { index }) => at?.children[index], parent);
  if (same?.tagName === element.tagName && same.matches(PRESSED)) return same as HTMLElement;
  return firstIn([parent.children[index], parent.children[index - 1], parent]);
}

function firstIn(places: (Element | undefined)[]): HTMLElement | null {
  for (const place of places) {
    const all = place ? [place, ...place.querySelectorAll(PRESSED)] : [];
    const found = all.find(canBePressed);
    if (found instanceof HTMLElement) return found;
  }
  return null;
}

/** Controls that are only shown on phones can't be focused elsewhere. */
const canBePressed = (element: Element) =>
  element.matches(PRESSED) && element.checkVisibility({ visibilityProperty: true });

/** Inside the page, but not the page itself; or inside an open dialog. */
const isWithin = (element: Element, content: Element) =>
  (content !== element && content.contains(element)) || element.closest("[role=dialog]") !== null;

/** How long to wait for a page's title, on slow machines too. */
const WAIT_MS = 20_000;

/**
 * Focuses the page title after navigation, so that screen readers announce it and Tab continues from
 * there. Doesn't take focus from a field of the page.
 *
 * @param id of the element that contains the page
 */
export function useTitleFocus(id: string): void {
  const pathname = usePathname();
  const former = useRef(pathname);
  useEffect(() => {
    if (former.current === pathname) return;
    former.current = pathname;
    const main = document.getElementById(id);
    if (!main || focusTitle(main)) return;
    // Observe the whole body: the palette navigates before it closes.
    const watching = new MutationObserver(() => {
      if (focusTitle(main)) watching.disconnect();
    });
    watching.observe(document.body, { childList: true, subtree: true });
    const end = setTimeout(() => watching.disconnect(), WAIT_MS);
    return () => {
      watching.disconnect();
      clearTimeout(end);
    };
  }, [id, pathname]);
}

/** Focuses the title unless a field has focus. False while there is no title or a dialog is open. */
function focusTitle(main: Element): boolean {
  const { activeElement } = document;
  if (main.contains(activeElement) && activeElement?.matches("input, textarea, select"))
    return true;
  const title = main.querySelector("h1");
  if (!title || document.querySelector("[role=dialog]")) return false;
  title.tabIndex = -1;
  title.focus({ preventScroll: true });
  return true;
}
