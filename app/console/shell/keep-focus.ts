import { useEffect } from "react";

/** Within it whoever takes something away gives the focus back: a dialog, or a page that is gone to. */
const PATIENCE_MS = 100;
const REMEMBERED_MAX = 12;
/** No field to type in: a phone would bring its keyboard up. */
const PRESSED = "a[href], button:enabled, select, input:is([type=checkbox], [type=radio]):enabled";

/** Where an element stood: its ancestors, inmost first, and which of their children led to it. */
type Place = { parent: Element; index: number };
type Held = { element: HTMLElement; path: Place[] };

/**
 * When what has the focus goes, such as a row that was ended or the dialog that ended it, the focus stays
 * near: on the same thing of what came in its place, or on what had it before. Else the next Tab would
 * begin at the top of the page.
 *
 * @param id of the element that holds the pages
 */
export function useKeptFocus(id: string): void {
  useEffect(() => {
    const content = document.getElementById(id);
    if (!content) return;
    const held: Held[] = [];
    let timer: ReturnType<typeof setTimeout> | undefined;

    function remember({ target }: FocusEvent) {
      if (!(target instanceof HTMLElement)) return;
      held.unshift({ element: target, path: pathTo(target) });
      held.length = Math.min(held.length, REMEMBERED_MAX);
    }

    const isLost = () =>
      document.activeElement === document.body && held[0]?.element.isConnected === false;
    const watching = new MutationObserver(() => {
      if (!isLost()) return;
      clearTimeout(timer);
      timer = setTimeout(() => {
        if (isLost()) nextOf(held, content)?.focus({ preventScroll: true });
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

function nextOf(held: Held[], content: Element): HTMLElement | null {
  for (const each of held) {
    const next = each.element.isConnected ? each.element : nearTo(each, content);
    if (next) return next;
  }
  const title = content.querySelector("h1");
  if (title) title.tabIndex = -1;
  return title;
}

/** What took the place of an element that is gone, or stands beside it. */
function nearTo({ element, path }: Held, content: Element): HTMLElement | null {
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
    const found = place?.matches(PRESSED) ? place : place?.querySelector(PRESSED);
    if (found instanceof HTMLElement) return found;
  }
  return null;
}

/** Of the page, below its whole; or of a dialog that is open. */
const isWithin = (element: Element, content: Element) =>
  (content !== element && content.contains(element)) || element.closest("[role=dialog]") !== null;
