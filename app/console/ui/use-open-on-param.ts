import { useSearchParams } from "next/navigation";
import { useEffect, useEffectEvent } from "react";

import { replaceSearch } from "./url-search.ts";

/**
 * Opens a dialog when the URL has a parameter, such as `?new` or `?do=suspend`, and removes the parameter, so that reload
 * and Back don't open it again. Links come from anywhere: only open what asks for confirmation.
 *
 * @param param the parameter's name and value
 * @param may the admin has the privilege; false while unknown
 */
export function useOpenOnParam(
  [name, value]: [name: string, value: string],
  may: boolean,
  open: () => void,
): void {
  const hasParam = useSearchParams().get(name) === value;
  const openDialog = useEffectEvent(open);
  useEffect(() => {
    if (!hasParam || !may) return;
    const search = new URLSearchParams(window.location.search);
    search.delete(name);
    replaceSearch(`?${search.toString()}`);
    openDialog();
  }, [hasParam, may, name]);
}
