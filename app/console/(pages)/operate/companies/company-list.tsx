import { formatLimit, formatUsage } from "#app/console/(pages)/operate/plan-limits.ts";
import {
  Cell,
  type Column,
  ListRow,
  ListSkeleton,
  ListTable,
  RowLink,
} from "#app/console/ui/list-table.tsx";
import { RelativeMoment } from "#app/console/ui/moment.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./company-list.module.css";
import { COMPANY_STATES } from "./company-states.ts";
import type { CompanyRow } from "./queries.ts";

const columns = {
  name: { area: "name", head: "Company", kind: "name" },
  state: { area: "state", head: "Status", kind: "status" },
  plan: { area: "plan", head: "Plan", kind: "text", isExtra: true },
  month: { area: "month", head: "This month", kind: "text" },
  holds: { area: "holds", head: "Domains, mailboxes", kind: "text", isExtra: true },
  created: { area: "created", head: "Created", kind: "moment", isExtra: true },
} satisfies Record<string, Column>;

const layout = { columns, grid: classes.grid };

export function CompanyList({ companies }: { companies: CompanyRow[] }) {
  return (
    <ListTable label="Companies, newest first" {...layout}>
      {companies.map((company) => (
        <ListRow key={company.id}>
          <Cell of={columns.name}>
            <RowLink href={`/console/operate/companies/${company.id}`}>{company.name}</RowLink>
          </Cell>
          <Cell of={columns.state}>
            <Status {...COMPANY_STATES[company.state]} />
          </Cell>
          <Cell of={columns.plan}>{planName(company)}</Cell>
          <Cell of={columns.month}>
            <span title={`Limit: ${formatLimit(company.figures.monthly_allowance)}`}>
              {formatUsage(company.month_recipients, company.figures.monthly_allowance)} recipients
            </span>
          </Cell>
          <Cell of={columns.holds}>
            {company.domains}, {company.mailboxes}
          </Cell>
          <Cell of={columns.created}>
            <RelativeMoment at={company.created_at} />
          </Cell>
        </ListRow>
      ))}
    </ListTable>
  );
}

export const planName = ({ plan, purpose }: Pick<CompanyRow, "plan" | "purpose">): string =>
  plan?.name ?? (purpose === "sandbox" ? "Sandbox" : "Custom limits");

const SKELETON_ROWS = 8;

export function CompanyListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
