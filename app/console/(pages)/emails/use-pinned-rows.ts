import { useEffect, useRef, useState } from "react";

import type { EmailRow } from "./queries.ts";
import { pinRows } from "./pin-rows.ts";

/** Less scrolling than this counts as being at the top. */
const TOP_PX = 40;

/**
 * Keeps new rows waiting while the reader is using the list: hovering over it, focused in it, or scrolled
 * down. Otherwise shows them immediately.
 *
 * @param place identifies the list; when it changes, all rows are replaced
 */
export function usePinnedRows(place: string, latest: EmailRow[]) {
  const list = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState({ place, rows: latest });
  const isSame = shown.place === place;
  const held = isSame ? pinRows(shown.rows, latest) : { rows: latest, waiting: 0 };

  useEffect(() => {
    const isStill = isSame && held.waiting > 0 && isBeingRead(list.current);
    if (!isStill) setShown({ place, rows: latest });
  }, [place, latest, isSame, held.waiting]);

  return { list, ...held, showAll: () => setShown({ place, rows: latest }) };
}

const isBeingRead = (list: HTMLElement | null): boolean =>
  list !== null &&
  (window.scrollY > TOP_PX || list.matches(":hover") || list.contains(document.activeElement));
