import { queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import { useShownAtOnce } from "#app/console/shown-at-once.ts";
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
  return useShownAtOnce(
    overviewQuery.queryKey,
    (isPutAway: boolean) =>
      call<typeof putChecklistAway>("PATCH", "/console/api/overview/checklist", {
        body: { is_put_away: isPutAway },
      }),
    (now: OverviewAnswer, isPutAway) =>
      now.checklist ? { ...now, checklist: { ...now.checklist, is_put_away: isPutAway } } : now,
  );
}
