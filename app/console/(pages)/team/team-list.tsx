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

import { localPart, roleSummary, listStatus } from "./admin-text.ts";
import type { AdminRow } from "./queries.ts";
import classes from "./team-list.module.css";

const columns = {
  name: { area: "name", header: "Name", kind: "name" },
  email: { area: "email", header: "Email address", kind: "text", isMuted: true },
  roles: { area: "roles", header: "Roles", kind: "text" },
  factor: { area: "factor", header: "Second factor", kind: "status", isOptional: true },
  state: { area: "state", header: "Access", kind: "status" },
  seen: { area: "seen", header: "Last seen", kind: "moment" },
} satisfies Record<string, ListColumn>;

const layout = { columns, grid: classes.grid };
const SKELETON_ROWS = 6;

export function TeamList({ admins }: { admins: AdminRow[] }) {
  return (
    <ListTable label="Admins by email address" {...layout}>
      {admins.map((admin) => (
        <ListRow key={admin.id}>
          <ListCell column={columns.name}>
            <ListRowLink href={`/console/team/${admin.id}`} title={admin.email}>
              {admin.name || localPart(admin)}
            </ListRowLink>
            {admin.is_self && <span className={classes.self}>(you)</span>}
          </ListCell>
          <ListCell column={columns.email}>{admin.email}</ListCell>
          <ListCell column={columns.roles}>{roleSummary(admin)}</ListCell>
          <ListCell column={columns.factor}>
            {admin.has_second_factor ? (
              <Status tone="done" label="On" />
            ) : (
              <Status tone="none" label="Off" />
            )}
          </ListCell>
          <ListCell column={columns.state}>
            <Status {...listStatus(admin)} />
          </ListCell>
          <ListCell column={columns.seen}>
            {admin.last_seen_at ? <RelativeTime at={admin.last_seen_at} /> : "Never"}
          </ListCell>
        </ListRow>
      ))}
    </ListTable>
  );
}

export function TeamListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
