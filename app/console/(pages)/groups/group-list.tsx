import {
  Cell,
  type Column,
  ListRow,
  ListSkeleton,
  ListTable,
  RowLink,
} from "#app/console/ui/list-table.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./group-list.module.css";
import { memberNoun, groupUrl, POSTING, groupStatus } from "./group-labels.ts";
import type { GroupRow } from "./queries.ts";

const columns = {
  address: { area: "address", head: "Address", kind: "name" },
  name: { area: "name", head: "Name", kind: "text", isQuiet: true },
  posting: { area: "posting", head: "Who can post", kind: "text", isQuiet: true, isExtra: true },
  status: { area: "status", head: "Status", kind: "status" },
  members: { area: "members", head: "Members", kind: "number" },
} satisfies Record<string, Column>;

const layout = { columns, grid: classes.grid };

export function GroupList({ groups }: { groups: GroupRow[] }) {
  return (
    <ListTable label="Groups, by address" {...layout}>
      {groups.map((group) => (
        <ListRow key={group.id}>
          <Cell of={columns.address}>
            <RowLink href={groupUrl(group.id)}>{group.id}</RowLink>
          </Cell>
          <Cell of={columns.name}>{group.name}</Cell>
          <Cell of={columns.posting}>{POSTING[group.posting].label}</Cell>
          <Cell of={columns.status}>
            <Status {...groupStatus(group, group.member_count)} />
          </Cell>
          <Cell of={columns.members}>
            {group.member_count}
            <span className={classes.unit}>&nbsp;{memberNoun(group.member_count)}</span>
          </Cell>
        </ListRow>
      ))}
    </ListTable>
  );
}

const SKELETON_ROWS = 5;

export function GroupListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
