import { queryOptions, useMutation, useQueryClient } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import type { getOverview } from "#server/console/overview/get-overview.ts";
import type { putChecklistAway } from "#server/console/overview/put-checklist-away.ts";

export type OverviewAnswer = Answer<typeof getOverview>;
export type ChecklistAnswer = NonNullable<OverviewAnswer["checklist"]>;

const REFRESH_MS = 15_000;

export const overviewQuery = queryOptions({
  queryKey: ["overview"],
  queryFn: () => call<typeof getOverview>("GET", "/console/api/overview", {}),
  refetchInterval: REFRESH_MS,
});

/** Shown at once; what the server says follows. */
export function usePutChecklistAway() {
  const client = useQueryClient();
  return useMutation({
    mutationFn: (isPutAway: boolean) =>
      call<typeof putChecklistAway>("PATCH", "/console/api/overview/checklist", {
        body: { is_put_away: isPutAway },
      }),
    onMutate: async (isPutAway) => {
      await client.cancelQueries(overviewQuery);
      client.setQueryData(overviewQuery.queryKey, (now) =>
        now?.checklist
          ? { ...now, checklist: { ...now.checklist, is_put_away: isPutAway } }
          : undefined,
      );
    },
    onSettled: () => client.invalidateQueries(overviewQuery),
  });
}
