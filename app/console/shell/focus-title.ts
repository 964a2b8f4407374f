import { usePathname } from "next/navigation";
import { useEffect, useRef } from "react";

/** How long the title of a page may take to appear. */
const PATIENCE_MS = 5_000;

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
    if (!main || isBusy(main) || focusTitle(main)) return;
    const watching = new MutationObserver(() => {
      if (isBusy(main) || focusTitle(main)) watching.disconnect();
    });
    watching.observe(main, { childList: true, subtree: true });
    const end = setTimeout(() => watching.disconnect(), PATIENCE_MS);
    return () => {
      watching.disconnect();
      clearTimeout(end);
    };
  }, [id, pathname]);
}

/** Somebody is in a field, or has opened a dialog, meanwhile. */
function isBusy(main: Element): boolean {
  const { activeElement } = document;
  return (
    document.querySelector("[role=dialog]") !== null ||
    (main.contains(activeElement) && activeElement?.matches("input, textarea, select") === true)
  );
}

function focusTitle(main: Element): boolean {
  const title = main.querySelector("h1");
  if (!title) return false;
  title.tabIndex = -1;
  title.focus({ preventScroll: true });
  return true;
}
