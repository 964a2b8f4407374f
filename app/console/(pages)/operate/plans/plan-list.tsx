import { Anchor, Button, Group } from "@mantine/core";
import Link from "next/link";

import { formatCompanies, formatLimit } from "#app/console/(pages)/operate/plan-limits.ts";
import { formatMegabytes } from "#app/console/ui/format.ts";
import {
  ListCell,
  type ListColumn,
  ListRow,
  ListSkeleton,
  ListTable,
} from "#app/console/ui/list-table.tsx";

import classes from "./plan-list.module.css";
import type { PlanRow } from "./queries.ts";

const columns = {
  name: { area: "name", header: "Plan", kind: "name" },
  month: { area: "month", header: "Recipients per month", kind: "text" },
  domains: { area: "domains", header: "Domains", kind: "text", isOptional: true },
  mailboxes: { area: "mailboxes", header: "Mailboxes", kind: "text", isOptional: true },
  companies: { area: "companies", header: "Companies", kind: "text" },
  actions: { area: "actions", header: "Actions", kind: "actions" },
} satisfies Record<string, ListColumn>;

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
          <ListCell column={columns.name}>{plan.name}</ListCell>
          <ListCell column={columns.month}>{formatLimit(plan.monthly_allowance)}</ListCell>
          <ListCell column={columns.domains}>{formatLimit(plan.domains_max)}</ListCell>
          <ListCell column={columns.mailboxes}>
            {formatLimit(plan.mailboxes_max)}
            {plan.quota_mb_max !== null && `, up to ${formatMegabytes(plan.quota_mb_max)}`}
          </ListCell>
          <ListCell column={columns.companies}>
            <Anchor component={Link} href={`/console/operate/companies?plan=${plan.id}`}>
              {formatCompanies(plan.companies)}
            </Anchor>
          </ListCell>
          <ListCell column={columns.actions}>
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
          </ListCell>
        </ListRow>
      ))}
    </ListTable>
  );
}

const SKELETON_ROWS = 3;

export function PlanListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
