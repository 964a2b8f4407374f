import { queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { getHealth } from "#server/console/operate/health/get-health.ts";

const REFRESH_MS = 5_000;

export type Health = Answer<typeof getHealth>;
export type Process = Health["processes"][number];

export const healthQuery = queryOptions({
  queryKey: ["operate", "health"],
  queryFn: () => call<typeof getHealth>("GET", "/console/api/operate/health", {}),
  refetchInterval: REFRESH_MS,
});
