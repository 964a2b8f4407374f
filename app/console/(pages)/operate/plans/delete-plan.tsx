"use client";

import { Text } from "@mantine/core";

import { formatCompanies } from "#app/console/(pages)/operate/plan-limits.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { toast } from "#app/console/ui/toast.tsx";

import { type PlanRow, useDeletePlan } from "./queries.ts";

export function DeletePlan({ plan, onClose }: { plan: PlanRow; onClose: () => void }) {
  const deletion = useDeletePlan(plan.id);
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete plan ${plan.name}?`}
      confirmLabel="Delete plan"
      isPending={deletion.isPending}
      error={deletion.error}
      onConfirm={() =>
        deletion.mutate(undefined, {
          onSuccess() {
            onClose();
            toast(`Plan ${plan.name} deleted`);
          },
        })
      }
    >
      <Text>
        {plan.companies === 0
          ? "No company is on this plan."
          : `${formatCompanies(plan.companies)} ${plan.companies === 1 ? "is" : "are"} on this plan. Move ${plan.companies === 1 ? "it" : "them"} to another plan first.`}
      </Text>
    </ConfirmDialog>
  );
}
