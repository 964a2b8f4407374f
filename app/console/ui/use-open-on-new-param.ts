import { useSearchParams } from "next/navigation";
import { useEffect, useEffectEvent } from "react";

import { replaceSearch } from "./url-search.ts";

/**
 * Opens a page's create dialog when its URL has `?new`, and removes the parameter, so that reload and Back
 * don't open it again.
 *
 * @param may the admin has the privilege; false while unknown
 */
export function useOpenOnNewParam(may: boolean, open: () => void): void {
  const hasParam = useSearchParams().has("new");
  const openDialog = useEffectEvent(open);
  useEffect(() => {
    if (!hasParam || !may) return;
    const search = new URLSearchParams(window.location.search);
    search.delete("new");
    replaceSearch(`?${search.toString()}`);
    openDialog();
  }, [hasParam, may]);
}
