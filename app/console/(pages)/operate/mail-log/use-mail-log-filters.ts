import { useSearchParams } from "next/navigation";

import type { IncomingFilters, Kind, LogFilters, OutgoingFilters, Result } from "./queries.ts";
import { KINDS, RESULTS } from "./reply-text.ts";

const SHARED = ["search", "company", "from", "to"] as const;

/** Filters that stay when the user switches between tabs. */
export function useLogFilters(): LogFilters {
  const params = useSearchParams();
  return Object.fromEntries(
    SHARED.flatMap((name) => {
      const value = params.get(name);
      return value ? [[name, value]] : [];
    }),
  );
}

export function useIncomingFilters(): IncomingFilters {
  const params = useSearchParams();
  const [kind, client] = [params.get("kind"), params.get("client")];
  return {
    ...useLogFilters(),
    ...(kind && Object.hasOwn(KINDS, kind) && { kind: kind as Kind }),
    ...(client && { client }),
  };
}

export function useOutgoingFilters(): OutgoingFilters {
  const params = useSearchParams();
  const [result, message] = [params.get("result"), params.get("message")];
  return {
    ...useLogFilters(),
    ...(result && Object.hasOwn(RESULTS, result) && { result: result as Result }),
    ...(message && { message }),
  };
}
