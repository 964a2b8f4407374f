import { queryOptions, useMutation } from "@tanstack/react-query";

import { type Answer, call } from "#app/console/console-client.ts";
import { useInvalidateOperate } from "#app/console/(pages)/operate/companies/queries.ts";
import type { PlanLimits } from "#app/console/(pages)/operate/plan-limits.ts";
import type { createPlan } from "#server/console/operate/plans/create-plan.ts";
import type { deletePlan } from "#server/console/operate/plans/delete-plan.ts";
import type { listPlans } from "#server/console/operate/plans/list-plans.ts";
import type { previewPlan } from "#server/console/operate/plans/preview-plan.ts";
import type { updatePlan } from "#server/console/operate/plans/update-plan.ts";

export type PlanRow = Answer<typeof listPlans>["data"][number];
export type PlanPreview = Answer<typeof previewPlan>;
export type PlanFields = PlanLimits & { name: string };

export const plansQuery = queryOptions({
  queryKey: ["operate", "plans"],
  queryFn: () => call<typeof listPlans>("GET", "/console/api/operate/plans", {}),
});

/** Creates a plan, or updates the plan with this ID and every company on it. */
export function useSavePlan(id: string | null) {
  const onSuccess = useInvalidateOperate();
  return useMutation({
    async mutationFn(body: PlanFields) {
      if (id === null)
        await call<typeof createPlan>("POST", "/console/api/operate/plans", { body });
      else
        await call<typeof updatePlan>("PATCH", "/console/api/operate/plans/{id}", {
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
      call<typeof previewPlan>("POST", "/console/api/operate/plans/{id}/preview", {
        params: { id },
        body,
      }),
  });

export function useDeletePlan(id: string) {
  const onSuccess = useInvalidateOperate();
  return useMutation({
    mutationFn: () =>
      call<typeof deletePlan>("DELETE", "/console/api/operate/plans/{id}", { params: { id } }),
    onSuccess,
  });
}
