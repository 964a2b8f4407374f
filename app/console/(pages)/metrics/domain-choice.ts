import { queryOptions } from "@tanstack/react-query";

import { call } from "#app/console/console-client.ts";
import type { listDomains } from "#server/console/domains/list-domains.ts";

const STALE_MS = 60_000;

/** The domains to choose from: the newest hundred. */
export const allDomainsQuery = queryOptions({
  queryKey: ["domains", "choice"],
  queryFn: () =>
    call<typeof listDomains>("GET", "/console/api/domains", { query: { limit: "100" } }),
  staleTime: STALE_MS,
});
