import { formatLimit, formatRecipients } from "#app/console/(pages)/operate/plan-limits.ts";
import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { COMPANY_STATES } from "./company-states.ts";
import type { CompanyRow } from "./queries.ts";

export const COMPANY_LIST: ListLayout<CompanyRow> = {
  noun: "companies",
  label: "Companies",
  standardSort: "-created",
  columns: [
    {
      area: "name",
      header: "Company",
      kind: "name",
      width: "minmax(0, 5fr)",
      sort: "name",
      cell: ({ id, name }) => (
        <ListRowLink href={`/console/operate/companies/${id}`}>{name}</ListRowLink>
      ),
    },
    {
      area: "state",
      header: "Status",
      kind: "status",
      width: "140px",
      cell: ({ state }) => <Status {...COMPANY_STATES[state]} />,
    },
    {
      area: "plan",
      header: "Plan",
      kind: "text",
      width: "minmax(0, 3fr)",
      isOptional: true,
      canHide: true,
      cell: planName,
    },
    {
      area: "month",
      header: "This month",
      kind: "text",
      width: "minmax(0, 4fr)",
      cell: ({ monthRecipients: used, figures: { monthlyAllowance: limit } }) => (
        <span title={`Limit: ${formatLimit(limit)}`}>{formatRecipients(used, limit)}</span>
      ),
    },
    {
      area: "holds",
      header: "Domains, mailboxes",
      kind: "text",
      width: "minmax(0, 3fr)",
      isOptional: true,
      canHide: true,
      cell: ({ domains, mailboxes }) => `${domains}, ${mailboxes}`,
    },
    {
      area: "created",
      header: "Created",
      kind: "moment",
      width: "116px",
      isOptional: true,
      sort: "-created",
      cell: ({ createdAt: at }) => <RelativeTime at={at} />,
    },
  ],
  phone: `"name state" auto "month month" auto / minmax(0, 1fr) auto`,
};

export function planName({ plan, purpose }: Pick<CompanyRow, "plan" | "purpose">): string {
  return plan?.name ?? (purpose === "sandbox" ? "Sandbox" : "Custom limits");
}
