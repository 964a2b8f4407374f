"use client";

import { Text } from "@mantine/core";

import { formatCompanies } from "#app/console/(pages)/operate/plan-limits.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { toast } from "#app/console/ui/toast.ts";

import { type PlanRow, useDeletePlan } from "./queries.ts";

/** Asks before a plan is deleted, which works only while nobody is on it. */
export function DeletePlan({ plan, onClose }: { plan: PlanRow; onClose: () => void }) {
  const deletion = useDeletePlan(plan.id);
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete ${plan.name}`}
      verb="Delete plan"
      isPending={deletion.isPending}
      error={deletion.error}
      onConfirm={() =>
        deletion.mutate(undefined, {
          onSuccess() {
            onClose();
            toast(`${plan.name} is deleted`);
          },
        })
      }
    >
      <Text>
        {plan.companies === 0
          ? "No company is on it, so nothing changes for anybody."
          : `${formatCompanies(plan.companies)} ${plan.companies === 1 ? "is" : "are"} on it. Give ${plan.companies === 1 ? "it" : "them"} another plan first.`}
      </Text>
    </ConfirmDialog>
  );
}
