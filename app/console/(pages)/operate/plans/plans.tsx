"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { formatCompanies } from "#app/console/(pages)/operate/plan-limits.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { EmptyState } from "#app/console/ui/empty-state.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { toast } from "#app/console/ui/toast.tsx";

import { PlanDialog } from "./plan-dialog.tsx";
import { PlanList, PlanListSkeleton } from "./plan-list.tsx";
import { type PlanRow, plansQuery, useDeletePlan } from "./queries.ts";

const HEADER = {
  title: "Plans",
  sentence: "A plan sets the limits of the companies on it. Changes apply to them immediately.",
};

export function Plans() {
  const plans = useQuery(plansQuery);
  const [edited, setEdited] = useState<PlanRow | "new" | null>(null);
  const [deleted, setDeleted] = useState<PlanRow | null>(null);
  const create = <Button onClick={() => setEdited("new")}>Create plan</Button>;
  const isEmpty = plans.data?.data.length === 0;
  return (
    <>
      <PageHeader {...HEADER} action={plans.data && !isEmpty && create} />
      <QueryView query={plans} noun="the plans" skeleton={<PlanListSkeleton />}>
        {({ data }) =>
          isEmpty ? (
            <EmptyState title="No plans yet">
              <Text c="dimmed">
                A plan limits a company’s recipients per month, domains, and mailboxes. Without
                plans, each company has custom limits.
              </Text>
              {create}
            </EmptyState>
          ) : (
            <PlanList plans={data} onEdit={setEdited} onDelete={setDeleted} />
          )
        }
      </QueryView>
      <PlanDialog plan={edited} onClose={() => setEdited(null)} />
      {deleted && <DeletePlan plan={deleted} onClose={() => setDeleted(null)} />}
    </>
  );
}

function DeletePlan({ plan, onClose }: { plan: PlanRow; onClose: () => void }) {
  const deletion = useDeletePlan(plan.id);
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete plan ${plan.name}?`}
      confirmLabel="Delete plan"
      onConfirm={async () => {
        await deletion.mutateAsync();
        toast(`Plan ${plan.name} deleted`);
      }}
    >
      <Text>
        {plan.companies === 0
          ? "No company is on this plan."
          : `${formatCompanies(plan.companies)} ${plan.companies === 1 ? "is" : "are"} on this plan. Move ${plan.companies === 1 ? "it" : "them"} to another plan first.`}
      </Text>
    </ConfirmDialog>
  );
}
