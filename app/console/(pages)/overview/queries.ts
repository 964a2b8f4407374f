import { queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import { useOptimisticUpdate } from "#app/console/optimistic-update.ts";
import type { getOverview } from "#server/console/overview/get-overview.ts";
import type { hideChecklist } from "#server/console/overview/hide-checklist.ts";

export type OverviewAnswer = Answer<typeof getOverview>;
export type ChecklistAnswer = NonNullable<OverviewAnswer["checklist"]>;

const REFRESH_MS = 15_000;

export const overviewQuery = queryOptions({
  queryKey: ["overview"],
  queryFn: () => call<typeof getOverview>("GET", "/console/api/overview", {}),
  refetchInterval: REFRESH_MS,
});

/** Updates optimistically. */
export function useHideChecklist() {
  return useOptimisticUpdate(
    overviewQuery.queryKey,
    (isHidden: boolean) =>
      call<typeof hideChecklist>("PATCH", "/console/api/overview/checklist", {
        body: { is_hidden: isHidden },
      }),
    (now: OverviewAnswer, isHidden) =>
      now.checklist ? { ...now, checklist: { ...now.checklist, is_hidden: isHidden } } : now,
  );
}
