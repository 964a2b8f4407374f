"use client";

import { Button, Text } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { formatCompanies } from "#app/console/(pages)/operate/plan-limits.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { DataTable, DataTableSkeleton } from "#app/console/ui/data-table.tsx";
import { EmptyState } from "#app/console/ui/panel.tsx";
import { FilterBar } from "#app/console/ui/filter-bar.tsx";
import { useListParams } from "#app/console/ui/list-params.ts";
import { ListTools } from "#app/console/ui/list-tools.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { PlanDialog } from "./plan-dialog.tsx";
import { PLAN_SORTS, planList, sortPlans } from "./plan-columns.tsx";
import { type PlanRow, plansQuery, useDeletePlan } from "./queries.ts";

const HEADER = {
  title: "Plans",
  sentence: "A plan sets the limits of the companies on it. Changes apply to them immediately.",
};

const SKELETON_ROWS = 3;

export function Plans() {
  const plans = useQuery(plansQuery);
  const [edited, setEdited] = useState<PlanRow | "new" | null>(null);
  const [deleted, setDeleted] = useState<PlanRow | null>(null);
  const create = <Button onClick={() => setEdited("new")}>Create plan</Button>;
  const isEmpty = plans.data?.data.length === 0;
  const params = useListParams(PLAN_SORTS);
  const layout = planList({ onEdit: setEdited, onDelete: setDeleted });
  return (
    <>
      <PageHeader {...HEADER} action={plans.data && !isEmpty && create} />
      <QueryView
        query={plans}
        noun="the plans"
        skeleton={<DataTableSkeleton layout={layout} rows={SKELETON_ROWS} />}
      >
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
            <>
              <FilterBar>
                <ListTools layout={layout} params={params} />
              </FilterBar>
              <DataTable layout={layout} rows={sortPlans(data, params.sort)} {...params} />
            </>
          )
        }
      </QueryView>
      <PlanDialog plan={edited} onClose={() => setEdited(null)} />
      {deleted && <DeletePlan plan={deleted} onClose={() => setDeleted(null)} />}
    </>
  );
}

const SKELETON_LIST = planList({ onEdit: () => {}, onDelete: () => {} });

/** Shown until the URL's search parameters are known. */
export function PlansSkeleton() {
  return (
    <>
      <PageHeader {...HEADER} />
      <DataTableSkeleton layout={SKELETON_LIST} rows={SKELETON_ROWS} />
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
