import { useMutation } from "@tanstack/react-query";

import { type AnswerOf, change } from "#app/console/console-client.ts";
import { queryOf } from "#app/console/endpoint-queries.ts";
import { useInvalidateOperate } from "#app/console/(pages)/operate/companies/queries.ts";
import type { PlanLimits } from "#app/console/(pages)/operate/plan-limits.ts";

export type PlanRow = AnswerOf<"plans.list">["data"][number];
export type PlanPreview = AnswerOf<"plans.preview">;
export type PlanFields = PlanLimits & { name: string };

export const plansQuery = queryOf("plans.list", {});

/** Creates a plan, or updates the plan with this ID and every company on it. */
export function useSavePlan(id: string | null) {
  const onSuccess = useInvalidateOperate();
  return useMutation({
    async mutationFn(body: PlanFields) {
      if (id === null) await change("plans.create", { body });
      else
        await change("plans.update", {
          params: { id },
          body,
        });
    },
    onSuccess,
  });
}

export const usePreviewPlan = (id: string) =>
  useMutation({
    mutationFn: (body: PlanLimits) =>
      change("plans.preview", {
        params: { id },
        body,
      }),
  });

export function useDeletePlan(id: string) {
  const onSuccess = useInvalidateOperate();
  return useMutation({
    mutationFn: () => change("plans.delete", { params: { id } }),
    onSuccess,
  });
}
