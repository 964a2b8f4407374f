import { formatLimit, formatRecipients } from "#app/console/(pages)/operate/plan-limits.ts";
import {
  ListCell,
  type ListColumn,
  ListRow,
  ListSkeleton,
  ListTable,
  ListRowLink,
} from "#app/console/ui/list-table.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./company-list.module.css";
import { COMPANY_STATES } from "./company-states.ts";
import type { CompanyRow } from "./queries.ts";

const columns = {
  name: { area: "name", header: "Company", kind: "name" },
  state: { area: "state", header: "Status", kind: "status" },
  plan: { area: "plan", header: "Plan", kind: "text", isOptional: true },
  month: { area: "month", header: "This month", kind: "text" },
  holds: { area: "holds", header: "Domains, mailboxes", kind: "text", isOptional: true },
  created: { area: "created", header: "Created", kind: "moment", isOptional: true },
} satisfies Record<string, ListColumn>;

const layout = { columns, grid: classes.grid };

export function CompanyList({ companies }: { companies: CompanyRow[] }) {
  return (
    <ListTable label="Companies, newest first" {...layout}>
      {companies.map((company) => (
        <ListRow key={company.id}>
          <ListCell column={columns.name}>
            <ListRowLink href={`/console/operate/companies/${company.id}`}>
              {company.name}
            </ListRowLink>
          </ListCell>
          <ListCell column={columns.state}>
            <Status {...COMPANY_STATES[company.state]} />
          </ListCell>
          <ListCell column={columns.plan}>{planName(company)}</ListCell>
          <ListCell column={columns.month}>
            <span title={`Limit: ${formatLimit(company.figures.monthly_allowance)}`}>
              {formatRecipients(company.month_recipients, company.figures.monthly_allowance)}
            </span>
          </ListCell>
          <ListCell column={columns.holds}>
            {company.domains}, {company.mailboxes}
          </ListCell>
          <ListCell column={columns.created}>
            <RelativeTime at={company.created_at} />
          </ListCell>
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
