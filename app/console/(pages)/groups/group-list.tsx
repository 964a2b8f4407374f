import {
  ListCell,
  type ListColumn,
  ListRow,
  ListSkeleton,
  ListTable,
  ListRowLink,
} from "#app/console/ui/list-table.tsx";
import { Status } from "#app/console/ui/status.tsx";

import classes from "./group-list.module.css";
import { memberNoun, groupUrl, POSTING, groupStatus } from "./group-labels.ts";
import type { GroupRow } from "./queries.ts";

const columns = {
  address: { area: "address", header: "Address", kind: "name" },
  name: { area: "name", header: "Name", kind: "text", isMuted: true },
  posting: {
    area: "posting",
    header: "Who can post",
    kind: "text",
    isMuted: true,
    isOptional: true,
  },
  status: { area: "status", header: "Status", kind: "status" },
  members: { area: "members", header: "Members", kind: "number" },
} satisfies Record<string, ListColumn>;

const layout = { columns, grid: classes.grid };

export function GroupList({ groups }: { groups: GroupRow[] }) {
  return (
    <ListTable label="Groups, by address" {...layout}>
      {groups.map((group) => (
        <ListRow key={group.id}>
          <ListCell column={columns.address}>
            <ListRowLink href={groupUrl(group.id)}>{group.id}</ListRowLink>
          </ListCell>
          <ListCell column={columns.name}>{group.name}</ListCell>
          <ListCell column={columns.posting}>{POSTING[group.posting].label}</ListCell>
          <ListCell column={columns.status}>
            <Status {...groupStatus(group, group.member_count)} />
          </ListCell>
          <ListCell column={columns.members}>
            {group.member_count}
            <span className={classes.unit}>&nbsp;{memberNoun(group.member_count)}</span>
          </ListCell>
        </ListRow>
      ))}
    </ListTable>
  );
}

const SKELETON_ROWS = 5;

export function GroupListSkeleton() {
  return <ListSkeleton rows={SKELETON_ROWS} {...layout} />;
}
