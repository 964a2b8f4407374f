import { useEffect, useRef, useState } from "react";

import type { EmailRow } from "./queries.ts";
import { holdStill } from "./steady-rows.ts";

/** Scrolled less than this, one is at the top. */
const TOP_PX = 40;

/**
 * Keeps a list still while somebody reads it: new rows wait above and are counted. While nobody points at
 * the list, is in it with the keyboard, or has scrolled down, they go in at once.
 *
 * @param place names what is listed: of something else nothing is kept
 */
export function useSteadyRows(place: string, latest: EmailRow[]) {
  const list = useRef<HTMLDivElement>(null);
  const [shown, setShown] = useState({ place, rows: latest });
  const isSame = shown.place === place;
  const held = isSame ? holdStill(shown.rows, latest) : { rows: latest, waiting: 0 };

  useEffect(() => {
    const isStill = isSame && held.waiting > 0 && isBeingRead(list.current);
    if (!isStill) setShown({ place, rows: latest });
  }, [place, latest, isSame, held.waiting]);

  return { list, ...held, showAll: () => setShown({ place, rows: latest }) };
}

const isBeingRead = (list: HTMLElement | null): boolean =>
  list !== null &&
  (window.scrollY > TOP_PX || list.matches(":hover") || list.contains(document.activeElement));
