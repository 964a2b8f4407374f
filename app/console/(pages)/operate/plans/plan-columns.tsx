import { Anchor, Button, Group } from "@mantine/core";
import Link from "next/link";

import { formatCompanies, formatLimit } from "#app/console/(pages)/operate/plan-limits.ts";
import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { formatMegabytes } from "#app/console/ui/format.ts";
import type { SortOf } from "#app/console/ui/list-params.ts";
import { sortRows } from "#app/console/ui/sort-rows.ts";

import type { PlanRow } from "./queries.ts";

export const PLAN_SORTS = ["name", "month", "domains", "mailboxes", "-companies"] as const;

const limitOf = (limit: number | null) => limit ?? Infinity;

/** There are few plans, so that the page has them all. Unlimited comes after every limit. */
export const sortPlans = (plans: readonly PlanRow[], sort: SortOf<typeof PLAN_SORTS>): PlanRow[] =>
  sortRows(plans, sort, {
    name: ({ name }) => name,
    month: ({ monthlyAllowance: limit }) => limitOf(limit),
    domains: ({ domainsMax: limit }) => limitOf(limit),
    mailboxes: ({ mailboxesMax: limit }) => limitOf(limit),
    companies: ({ companies }) => companies,
  });

type PlanActions = { onEdit: (plan: PlanRow) => void; onDelete: (plan: PlanRow) => void };

export const planList = ({ onEdit, onDelete }: PlanActions): ListLayout<PlanRow> => ({
  noun: "plans",
  label: "Plans",
  columns: [
    {
      area: "name",
      header: "Plan",
      kind: "name",
      width: "minmax(0, 4fr)",
      sort: "name",
      cell: ({ name }) => name,
    },
    {
      area: "month",
      header: "Recipients per month",
      kind: "text",
      width: "minmax(0, 3fr)",
      sort: "month",
      cell: ({ monthlyAllowance: limit }) => formatLimit(limit),
    },
    {
      area: "domains",
      header: "Domains",
      kind: "text",
      width: "minmax(0, 2fr)",
      isOptional: true,
      sort: "domains",
      cell: ({ domainsMax: limit }) => formatLimit(limit),
    },
    {
      area: "mailboxes",
      header: "Mailboxes",
      kind: "text",
      width: "minmax(0, 4fr)",
      isOptional: true,
      sort: "mailboxes",
      cell: ({ mailboxesMax: limit, quotaMbMax: quota }) =>
        `${formatLimit(limit)}${quota === null ? "" : `, up to ${formatMegabytes(quota)}`}`,
    },
    {
      area: "companies",
      header: "Companies",
      kind: "text",
      width: "120px",
      sort: "-companies",
      cell: ({ id, companies }) => (
        <Anchor component={Link} href={`/console/operate/companies?plan=${id}`}>
          {formatCompanies(companies)}
        </Anchor>
      ),
    },
    {
      area: "actions",
      header: "Actions",
      kind: "actions",
      width: "148px",
      cell: (plan) => (
        <Group gap="xs" wrap="nowrap">
          <Button
            size="xs"
            variant="default"
            aria-label={`Edit ${plan.name}`}
            onClick={() => onEdit(plan)}
          >
            Edit
          </Button>
          <Button
            size="xs"
            variant="default"
            aria-label={`Delete ${plan.name}`}
            onClick={() => onDelete(plan)}
          >
            Delete
          </Button>
        </Group>
      ),
    },
  ],
  phone: `"name companies" auto "month actions" auto / minmax(0, 1fr) auto`,
});
