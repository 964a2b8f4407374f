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

import { localPart, roleSummary, listStatus } from "./admin-text.ts";
import type { AdminRow } from "./queries.ts";
import classes from "./team-list.module.css";

const columns = {
  name: { area: "name", head: "Name", kind: "name" },
  email: { area: "email", head: "Email address", kind: "text", isQuiet: true },
  roles: { area: "roles", head: "Roles", kind: "text" },
  factor: { area: "factor", head: "Second factor", kind: "status", isExtra: true },
  state: { area: "state", head: "Access", kind: "status" },
  seen: { area: "seen", head: "Last seen", kind: "moment" },
} satisfies Record<string, Column>;

const layout = { columns, grid: classes.grid };
const SKELETON_ROWS = 6;

export function TeamList({ admins }: { admins: AdminRow[] }) {
  return (
    <ListTable label="Admins by email address" {...layout}>
      {admins.map((admin) => (
        <ListRow key={admin.id}>
          <Cell of={columns.name}>
            <RowLink href={`/console/team/${admin.id}`} title={admin.email}>
              {admin.name || localPart(admin)}
            </RowLink>
            {admin.is_self && <span className={classes.self}>you</span>}
          </Cell>
          <Cell of={columns.email}>{admin.email}</Cell>
          <Cell of={columns.roles}>{roleSummary(admin)}</Cell>
          <Cell of={columns.factor}>
            {admin.has_second_factor ? (
              <Status meaning="done" word="On" />
            ) : (
              <Status meaning="none" word="Off" />
            )}
          </Cell>
          <Cell of={columns.state}>
            <Status {...listStatus(admin)} />
          </Cell>
          <Cell of={columns.seen}>
            {admin.last_seen_at ? <RelativeMoment at={admin.last_seen_at} /> : "Never"}
          </Cell>
        </ListRow>
      ))}
    </ListTable>
  );
}

export function TeamListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
