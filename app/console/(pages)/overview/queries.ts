import { queryOptions } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import { useOptimisticUpdate } from "#app/console/optimistic-update.ts";
import { useAction } from "#app/console/ui/use-action.ts";
import type { changeChecklist as changeEndpoint } from "#server/console/overview/change-checklist.ts";
import type { getOverview } from "#server/console/overview/get-overview.ts";
import type { snoozeProblem } from "#server/console/overview/snooze-problem.ts";

export type OverviewAnswer = Answer<typeof getOverview>;
export type OverviewProblem = OverviewAnswer["problems"][number];
export type ChecklistAnswer = NonNullable<OverviewAnswer["checklist"]>;
export type ChecklistStepName = ChecklistAnswer["steps"][number]["name"];
export type FirstGoal = ChecklistAnswer["goals"][number];

const REFRESH_MS = 15_000;

export const fetchOverview = () => call<typeof getOverview>("GET", "/console/api/overview", {});

export const overviewQuery = queryOptions({
  queryKey: ["overview"],
  queryFn: fetchOverview,
  refetchInterval: REFRESH_MS,
});

type ChecklistChange = NonNullable<Parameters<typeof call<typeof changeEndpoint>>[2]["body"]>;

export const changeChecklist = (body: ChecklistChange) =>
  call<typeof changeEndpoint>("PATCH", "/console/api/overview/checklist", { body });

/** Updates optimistically. */
export function useHideChecklist() {
  return useOptimisticUpdate(
    overviewQuery.queryKey,
    (isHidden: boolean) => changeChecklist({ is_hidden: isHidden }),
    (now: OverviewAnswer, isHidden) =>
      now.checklist ? { ...now, checklist: { ...now.checklist, is_hidden: isHidden } } : now,
  );
}

export type SnoozeDays = 1 | 7 | 30;

const snooze = ({ kind, state }: OverviewProblem, days: SnoozeDays | null) =>
  call<typeof snoozeProblem>("POST", "/console/api/overview/snooze", {
    body: { kind, state, days },
  });

/** Offers Undo. */
export const useSnooze = (problem: OverviewProblem) =>
  useAction({
    call: (days: SnoozeDays) => snooze(problem, days),
    invalidates: [overviewQuery.queryKey],
    success: "Snoozed. It comes back if it gets worse",
    undo: () => snooze(problem, null),
  });

export const useEndSnooze = (problem: OverviewProblem) =>
  useAction({
    call: () => snooze(problem, null),
    invalidates: [overviewQuery.queryKey],
  });
