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
import { attentionOf, statusOf } from "./domain-words.ts";
import type { DomainRow } from "./queries.ts";

const columns = {
  name: { area: "name", head: "Name", kind: "name" },
  status: { area: "status", head: "Status", kind: "status" },
  mail: { area: "mail", head: "Mail", kind: "text", isQuiet: true, isExtra: true },
  toDo: { area: "todo", head: "To do", kind: "text" },
  added: { area: "added", head: "Added", kind: "moment", isExtra: true },
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
            <Status {...statusOf(domain)} />
          </Cell>
          <Cell of={columns.mail}>{mailOf(domain)}</Cell>
          <Cell of={columns.toDo}>
            {attentionOf(domain) ?? <span className={classes.nothing}>Nothing</span>}
          </Cell>
          <Cell of={columns.added}>
            <RelativeMoment at={domain.created_at} />
          </Cell>
        </ListRow>
      ))}
    </ListTable>
  );
}

function mailOf({ status, receives }: DomainRow): string {
  const sends = status === "verified";
  if (sends && receives) return "Sends and receives";
  if (sends) return "Sends";
  return receives ? "Receives" : "No mail yet";
}

const SKELETON_ROWS = 5;

export function DomainListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
