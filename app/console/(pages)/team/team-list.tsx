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
  email: { area: "email", head: "Address", kind: "text", isQuiet: true },
  rights: { area: "rights", head: "Rights", kind: "text" },
  factor: { area: "factor", head: "Second factor", kind: "status", isExtra: true },
  state: { area: "state", head: "Access", kind: "status" },
  seen: { area: "seen", head: "Last seen", kind: "moment" },
} satisfies Record<string, Column>;

const layout = { columns, grid: classes.grid };
const SKELETON_ROWS = 6;

export function TeamList({ people }: { people: AdminRow[] }) {
  return (
    <ListTable label="The team, by address" {...layout}>
      {people.map((person) => (
        <ListRow key={person.id}>
          <Cell of={columns.name}>
            <RowLink href={`/console/team/${person.id}`} title={person.email}>
              {person.name || localPart(person)}
            </RowLink>
            {person.is_self && <span className={classes.self}>you</span>}
          </Cell>
          <Cell of={columns.email}>{person.email}</Cell>
          <Cell of={columns.rights}>{roleSummary(person)}</Cell>
          <Cell of={columns.factor}>
            {person.has_second_factor ? (
              <Status meaning="done" word="On" />
            ) : (
              <Status meaning="none" word="Off" />
            )}
          </Cell>
          <Cell of={columns.state}>
            <Status {...listStatus(person)} />
          </Cell>
          <Cell of={columns.seen}>
            {person.last_seen_at ? <RelativeMoment at={person.last_seen_at} /> : "Not signed in"}
          </Cell>
        </ListRow>
      ))}
    </ListTable>
  );
}

export function TeamListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
