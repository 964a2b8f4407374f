import { Anchor, Button, Group } from "@mantine/core";
import Link from "next/link";

import {
  formatCompanies,
  formatLimit,
  formatMegabytes,
} from "#app/console/(pages)/operate/plan-limits.ts";
import {
  Cell,
  type Column,
  ListRow,
  ListSkeleton,
  ListTable,
} from "#app/console/ui/list-table.tsx";

import classes from "./plan-list.module.css";
import type { PlanRow } from "./queries.ts";

const columns = {
  name: { area: "name", head: "Plan", kind: "name" },
  month: { area: "month", head: "Recipients per month", kind: "text" },
  domains: { area: "domains", head: "Domains", kind: "text", isExtra: true },
  mailboxes: { area: "mailboxes", head: "Mailboxes", kind: "text", isExtra: true },
  companies: { area: "companies", head: "Companies", kind: "text" },
  actions: { area: "actions", head: "Actions", kind: "actions" },
} satisfies Record<string, Column>;

const layout = { columns, grid: classes.grid };

export function PlanList({
  plans,
  onEdit,
  onDelete,
}: {
  plans: PlanRow[];
  onEdit: (plan: PlanRow) => void;
  onDelete: (plan: PlanRow) => void;
}) {
  return (
    <ListTable label="Plans by name" {...layout}>
      {plans.map((plan) => (
        <ListRow key={plan.id}>
          <Cell of={columns.name}>{plan.name}</Cell>
          <Cell of={columns.month}>{formatLimit(plan.monthly_allowance)}</Cell>
          <Cell of={columns.domains}>{formatLimit(plan.domains_max)}</Cell>
          <Cell of={columns.mailboxes}>
            {formatLimit(plan.mailboxes_max)}
            {plan.quota_mb_max !== null && `, up to ${formatMegabytes(plan.quota_mb_max)}`}
          </Cell>
          <Cell of={columns.companies}>
            <Anchor component={Link} href={`/console/operate/companies?plan=${plan.id}`}>
              {formatCompanies(plan.companies)}
            </Anchor>
          </Cell>
          <Cell of={columns.actions}>
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
          </Cell>
        </ListRow>
      ))}
    </ListTable>
  );
}

const SKELETON_ROWS = 3;

export function PlanListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
