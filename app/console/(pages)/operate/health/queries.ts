import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { listChecks } from "#server/console/checks/list-checks.ts";
import type { runChecks } from "#server/console/checks/run-checks.ts";
import type { getHealth } from "#server/console/operate/health/get-health.ts";

const REFRESH_MS = 5_000;
const WHILE_RUNNING_MS = 1_500;

export type Health = Answer<typeof getHealth>;
export type Process = Health["processes"][number];
export type Check = Answer<typeof listChecks>["data"][number];

export const healthQuery = queryOptions({
  queryKey: ["operate", "health"],
  queryFn: () => call<typeof getHealth>("GET", "/console/api/operate/health", {}),
  refetchInterval: REFRESH_MS,
});

const CHECKS = ["operate", "checks"];

export const checksQuery = queryOptions({
  queryKey: CHECKS,
  queryFn: () => call<typeof listChecks>("GET", "/console/api/checks", {}),
  refetchInterval: ({ state }) =>
    state.data?.data.some((check) => check.is_running) ? WHILE_RUNNING_MS : REFRESH_MS * 6,
});

export function useRunChecks() {
  const queryClient = useQueryClient();
  return useMutation({
    mutationFn: () => call<typeof runChecks>("POST", "/console/api/checks", {}),
    onSuccess: (checks) => queryClient.setQueryData(CHECKS, checks),
  });
}
