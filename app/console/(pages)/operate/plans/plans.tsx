"use client";

import { Anchor, Button, Group, Text } from "@mantine/core";
import Link from "next/link";
import { useState } from "react";

import { OPERATED } from "#app/console/(pages)/operate/companies/queries.ts";
import { formatCompanies, formatLimit } from "#app/console/(pages)/operate/plan-limits.tsx";
import { toast, useChange } from "#app/console/ui/actions.tsx";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { formatMegabytes } from "#app/console/ui/format.ts";
import { ListPage } from "#app/console/ui/list-page.tsx";
import { CellUnit } from "#app/console/ui/list-table.tsx";
import { onDemand } from "#app/console/ui/on-demand.tsx";

import type { PlanRow } from "./plan-dialog.tsx";

const PlanDialog = onDemand(() => import("./plan-dialog.tsx").then((module) => module.PlanDialog));

const limitOf = (limit: number | null) => limit ?? Infinity;

/** There are few plans, so that the page has them all. Unlimited comes after every limit. */
const ORDERS = {
  name: ({ name }: PlanRow) => name,
  month: ({ monthlyAllowance: limit }: PlanRow) => limitOf(limit),
  domains: ({ domainsMax: limit }: PlanRow) => limitOf(limit),
  mailboxes: ({ mailboxesMax: limit }: PlanRow) => limitOf(limit),
  companies: ({ companies }: PlanRow) => companies,
};

export function Plans() {
  const [edited, setEdited] = useState<PlanRow | "new" | null>(null);
  const [deleted, setDeleted] = useState<PlanRow | null>(null);
  return (
    <ListPage
      list="plans.list"
      title="Plans"
      description="A plan sets the limits of the companies on it. Changes apply to them immediately."
      noun="plans"
      skeletonRows={3}
      sortBy={ORDERS}
      create={{ label: "Create plan", onClick: () => setEdited("new") }}
      empty={{
        title: "No plans yet",
        children: (
          <Text>
            A plan limits a company’s recipients per month, domains, and mailboxes. Without plans,
            each company has custom limits.
          </Text>
        ),
      }}
      columns={{
        name: {
          header: "Plan",
          kind: "name",
          width: "minmax(0, 4fr)",
          sort: "name",
          cell: ({ name }) => name,
        },
        month: {
          header: "Recipients per month",
          width: "minmax(0, 3fr)",
          sort: "month",
          cell: ({ monthlyAllowance: limit }) => (
            <>
              {formatLimit(limit)}
              <CellUnit> recipients per month</CellUnit>
            </>
          ),
        },
        domains: {
          header: "Domains",
          width: "minmax(0, 2fr)",
          isOptional: true,
          sort: "domains",
          cell: ({ domainsMax: limit }) => formatLimit(limit),
        },
        mailboxes: {
          header: "Mailboxes",
          width: "minmax(0, 4fr)",
          isOptional: true,
          sort: "mailboxes",
          cell: ({ mailboxesMax: limit, quotaMbMax: quota }) =>
            `${formatLimit(limit)}${quota === null ? "" : `, up to ${formatMegabytes(quota)}`}`,
        },
        companies: {
          header: "Companies",
          width: "120px",
          sort: "-companies",
          cell: ({ id, companies }) => (
            <Anchor component={Link} href={`/console/operate/companies?plan=${id}`}>
              {formatCompanies(companies)}
            </Anchor>
          ),
        },
        actions: {
          header: "Actions",
          kind: "actions",
          width: "148px",
          cell: (plan) => (
            <Group gap="xs" wrap="nowrap">
              <Button
                size="xs"
                variant="default"
                aria-label={`Edit ${plan.name}`}
                onClick={() => setEdited(plan)}
              >
                Edit
              </Button>
              <Button
                size="xs"
                variant="default"
                aria-label={`Delete ${plan.name}`}
                onClick={() => setDeleted(plan)}
              >
                Delete
              </Button>
            </Group>
          ),
        },
      }}
      phone={`"name companies" auto "month actions" auto / minmax(0, 1fr) auto`}
    >
      {edited && <PlanDialog plan={edited} onClose={() => setEdited(null)} />}
      {deleted && <DeletePlan plan={deleted} onClose={() => setDeleted(null)} />}
    </ListPage>
  );
}

function DeletePlan({ plan, onClose }: { plan: PlanRow; onClose: () => void }) {
  const deletion = useChange("plans.delete", { invalidates: OPERATED });
  return (
    <ConfirmDialog
      isOpen
      onClose={onClose}
      title={`Delete plan ${plan.name}?`}
      confirmLabel="Delete plan"
      onConfirm={async () => {
        await deletion.run({ params: { id: plan.id } });
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
