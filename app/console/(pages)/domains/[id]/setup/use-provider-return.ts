import { useSearchParams } from "next/navigation";
import { useEffect, useEffectEvent, useState } from "react";

import { replaceSearch } from "#app/console/ui/url-search.ts";

const FROM = "dns-provider";

/**
 * Checks the records at once when the admin returns from the DNS provider, whatever it reports.
 *
 * @returns the error to show, if the provider reported one (RFC 6749, 4.1.2.1)
 */
export function useProviderReturn(mayCheck: boolean, check: () => void): string | null {
  const params = useSearchParams();
  const hasReturned = params.get("from") === FROM;
  const [error] = useState(() => (hasReturned ? errorText(params.get("error")) : null));
  const checkNow = useEffectEvent(check);
  useEffect(() => {
    if (!hasReturned || !mayCheck) return;
    replaceSearch("?");
    checkNow();
  }, [hasReturned, mayCheck]);
  return error;
}

function errorText(code: string | null): string | null {
  if (code === null) return null;
  return code === "access_denied" ? DENIED : FAILED;
}

const DENIED =
  "The request was canceled or denied, so the DNS provider published nothing. Try again, or publish the missing records yourself.";
const FAILED =
  "The DNS provider reported an error. Try again, or publish the missing records yourself.";
