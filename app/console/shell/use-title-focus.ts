import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";

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
