import { useSearchParams } from "next/navigation";

import type { IncomingFilters, Kind, LogFilters, OutgoingFilters, Result } from "./queries.ts";
import { KINDS, RESULTS } from "./reply-text.ts";

const SHARED = ["search", "company", "from", "to"] as const;

/** What the URL asks of both directions: it stays when one goes from one to the other. */
export function useLogFilters(): LogFilters {
  const asked = useSearchParams();
  return Object.fromEntries(
    SHARED.flatMap((name) => {
      const value = asked.get(name);
      return value ? [[name, value]] : [];
    }),
  );
}

export function useIncomingFilters(): IncomingFilters {
  const asked = useSearchParams();
  const [kind, client] = [asked.get("kind"), asked.get("client")];
  return {
    ...useLogFilters(),
    ...(kind && Object.hasOwn(KINDS, kind) && { kind: kind as Kind }),
    ...(client && { client }),
  };
}

export function useOutgoingFilters(): OutgoingFilters {
  const asked = useSearchParams();
  const [result, message] = [asked.get("result"), asked.get("message")];
  return {
    ...useLogFilters(),
    ...(result && Object.hasOwn(RESULTS, result) && { result: result as Result }),
    ...(message && { message }),
  };
}
