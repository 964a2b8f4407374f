import { queryOptions, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import { useAction } from "#app/console/ui/use-action.ts";
import type { listChecks } from "#server/console/checks/list-checks.ts";
import type { runChecks } from "#server/console/checks/run-checks.ts";

export type ChecksAnswer = Answer<typeof listChecks>;
export type Check = ChecksAnswer["data"][number];

const WHILE_RUNNING_MS = 1_000;
const REFRESH_MS = 30_000;

export const isRunning = ({ data }: ChecksAnswer): boolean =>
  data.some((check) => check.is_running);

/** Polled faster while checks run, so that results show as they come in. */
export const checksQuery = queryOptions({
  queryKey: ["checks"],
  queryFn: () => call<typeof listChecks>("GET", "/console/api/checks", {}),
  refetchInterval: ({ state }) =>
    state.data && isRunning(state.data) ? WHILE_RUNNING_MS : REFRESH_MS,
});

export function useRunChecks() {
  const client = useQueryClient();
  return useAction({
    call: () => call<typeof runChecks>("POST", "/console/api/checks", {}),
    onDone: (answer) => client.setQueryData(checksQuery.queryKey, answer),
  });
}
