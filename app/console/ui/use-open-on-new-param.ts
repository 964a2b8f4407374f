import { useSearchParams } from "next/navigation";
import { useEffect, useEffectEvent } from "react";

import { replaceSearch } from "./url-search.ts";

/**
 * Opens a page's dialog for something new when its URL says `?new`, which the URL then loses: reload and
 * Back lead to the page alone.
 *
 * @param may known and held: the person could do it
 */
export function useOpenOnNewParam(may: boolean, open: () => void): void {
  const isAsked = useSearchParams().has("new");
  const begin = useEffectEvent(open);
  useEffect(() => {
    if (!isAsked || !may) return;
    const others = new URLSearchParams(window.location.search);
    others.delete("new");
    replaceSearch(`?${others.toString()}`);
    begin();
  }, [isAsked, may]);
}
