import { type AnswerOf, change, type InputOf, read } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { useAction, useOptimisticUpdate } from "#app/console/ui/actions.tsx";

export type OverviewAnswer = AnswerOf<"overview.get">;
export type OverviewProblem = OverviewAnswer["problems"][number];
export type ChecklistAnswer = NonNullable<OverviewAnswer["checklist"]>;
export type ChecklistStepName = ChecklistAnswer["steps"][number]["name"];
export type FirstGoal = ChecklistAnswer["goals"][number];

const REFRESH_MS = 15_000;

export const fetchOverview = () => read("overview.get", {});

export const overviewQuery = queryOf("overview.get", {}, { refetchInterval: REFRESH_MS });

type ChecklistChange = NonNullable<InputOf<"overview.changeChecklist">["body"]>;

export const changeChecklist = (body: ChecklistChange) =>
  change("overview.changeChecklist", { body });

/** Updates optimistically. */
export function useHideChecklist() {
  return useOptimisticUpdate(
    overviewQuery.queryKey,
    (isHidden: boolean) => changeChecklist({ isHidden }),
    (now: OverviewAnswer, isHidden) =>
      now.checklist ? { ...now, checklist: { ...now.checklist, isHidden } } : now,
  );
}

export type SnoozeDays = 1 | 7 | 30;

const snooze = ({ kind, state }: OverviewProblem, days: SnoozeDays | null) =>
  change("overview.snoozeProblem", {
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
