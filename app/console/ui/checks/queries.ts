import { useQueryClient } from "@tanstack/react-query";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { useAction } from "#app/console/ui/use-action.ts";

export type ChecksAnswer = AnswerOf<"operate.listChecks">;
export type Check = ChecksAnswer["data"][number];

const WHILE_RUNNING_MS = 1_000;
const REFRESH_MS = 30_000;

export const isRunning = ({ data }: ChecksAnswer): boolean => data.some((check) => check.isRunning);

/** Polled faster while checks run, so that results show as they come in. */
export const checksQuery = queryOf(
  "operate.listChecks",
  {},
  {
    refetchInterval: ({ state }) =>
      state.data && isRunning(state.data) ? WHILE_RUNNING_MS : REFRESH_MS,
  },
);

export function useRunChecks() {
  const client = useQueryClient();
  return useAction({
    call: () => change("operate.runChecks", {}),
    onDone: (answer) => client.setQueryData(checksQuery.queryKey, answer),
  });
}
