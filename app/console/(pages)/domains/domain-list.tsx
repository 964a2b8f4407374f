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

import classes from "./domain-list.module.css";
import { nextAction, domainStatus } from "./domain-labels.ts";
import type { DomainRow } from "./queries.ts";

const columns = {
  name: { area: "name", header: "Name", kind: "name" },
  status: { area: "status", header: "Status", kind: "status" },
  mail: { area: "mail", header: "Mail", kind: "text", isMuted: true, isOptional: true },
  nextAction: { area: "todo", header: "Next step", kind: "text" },
  created: { area: "added", header: "Created", kind: "moment", isOptional: true },
} satisfies Record<string, ListColumn>;

const layout = { columns, grid: classes.grid };

export function DomainList({ domains }: { domains: DomainRow[] }) {
  return (
    <ListTable label="Domains, newest first" {...layout}>
      {domains.map((domain) => (
        <ListRow key={domain.id}>
          <ListCell column={columns.name}>
            <ListRowLink href={`/console/domains/${domain.id}`}>{domain.name}</ListRowLink>
          </ListCell>
          <ListCell column={columns.status}>
            <Status {...domainStatus(domain)} />
          </ListCell>
          <ListCell column={columns.mail}>{mailUse(domain)}</ListCell>
          <ListCell column={columns.nextAction}>
            {nextAction(domain) ?? <span className={classes.nothing}>None</span>}
          </ListCell>
          <ListCell column={columns.created}>
            <RelativeTime at={domain.created_at} />
          </ListCell>
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
