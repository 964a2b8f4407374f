import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";

/** How long the title of a page may take to appear, on a slow machine too. */
const PATIENCE_MS = 20_000;

/**
 * After going to another page the focus is on its title, so that a screen reader says where one is and
 * the next Tab leads into the page. Not where the page has taken the focus for a field of its own.
 *
 * @param id of the element that holds the pages
 */
export function useFocusTitle(id: string): void {
  const pathname = usePathname();
  const former = useRef(pathname);
  useEffect(() => {
    if (former.current === pathname) return;
    former.current = pathname;
    const main = document.getElementById(id);
    if (!main || isDone(main)) return;
    // Also of what is beside the pages: the palette leads on before it has gone.
    const watching = new MutationObserver(() => {
      if (isDone(main)) watching.disconnect();
    });
    watching.observe(document.body, { childList: true, subtree: true });
    const end = setTimeout(() => watching.disconnect(), PATIENCE_MS);
    return () => {
      watching.disconnect();
      clearTimeout(end);
    };
  }, [id, pathname]);
}

/** The title has the focus, or a field that it is not taken from. Behind a dialog it has to wait. */
function isDone(main: Element): boolean {
  const { activeElement } = document;
  if (main.contains(activeElement) && activeElement?.matches("input, textarea, select"))
    return true;
  const title = main.querySelector("h1");
  if (!title || document.querySelector("[role=dialog]")) return false;
  title.tabIndex = -1;
  title.focus({ preventScroll: true });
  return true;
}
