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

import classes from "./domain-list.module.css";
import { nextAction, domainStatus } from "./domain-labels.ts";
import type { DomainRow } from "./queries.ts";

const columns = {
  name: { area: "name", head: "Name", kind: "name" },
  status: { area: "status", head: "Status", kind: "status" },
  mail: { area: "mail", head: "Mail", kind: "text", isQuiet: true, isExtra: true },
  nextAction: { area: "todo", head: "Next step", kind: "text" },
  created: { area: "added", head: "Created", kind: "moment", isExtra: true },
} satisfies Record<string, Column>;

const layout = { columns, grid: classes.grid };

export function DomainList({ domains }: { domains: DomainRow[] }) {
  return (
    <ListTable label="Domains, newest first" {...layout}>
      {domains.map((domain) => (
        <ListRow key={domain.id}>
          <Cell of={columns.name}>
            <RowLink href={`/console/domains/${domain.id}`}>{domain.name}</RowLink>
          </Cell>
          <Cell of={columns.status}>
            <Status {...domainStatus(domain)} />
          </Cell>
          <Cell of={columns.mail}>{mailUse(domain)}</Cell>
          <Cell of={columns.nextAction}>
            {nextAction(domain) ?? <span className={classes.nothing}>None</span>}
          </Cell>
          <Cell of={columns.created}>
            <RelativeMoment at={domain.created_at} />
          </Cell>
        </ListRow>
      ))}
    </ListTable>
  );
}

function mailUse({ status, receives }: DomainRow): string {
  const sends = status === "verified";
  if (sends && receives) return "Sending and receiving";
  if (sends) return "Sending";
  return receives ? "Receiving" : "Not ready";
}

const SKELETON_ROWS = 5;

export function DomainListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
