import type { ListLayout } from "#app/console/ui/data-table.tsx";
import { ListRowLink } from "#app/console/ui/list-table.tsx";
import { CopyItem, LinkItem, menuColumn } from "#app/console/ui/row-menu.tsx";
import { Status } from "#app/console/ui/status.tsx";

import { groupStatus, groupUrl, memberNoun, POSTING } from "./group-labels.ts";
import classes from "./group-list.module.css";
import type { GroupRow } from "./queries.ts";

export const GROUP_LIST: ListLayout<GroupRow> = {
  noun: "groups",
  label: "Groups",
  columns: [
    {
      area: "address",
      header: "Address",
      kind: "name",
      width: "minmax(0, 6fr)",
      sort: "address",
      cell: ({ id }) => <ListRowLink href={groupUrl(id)}>{id}</ListRowLink>,
    },
    {
      area: "name",
      header: "Name",
      kind: "text",
      width: "minmax(0, 5fr)",
      isMuted: true,
      sort: "name",
      canHide: true,
      cell: ({ name }) => name,
    },
    {
      area: "posting",
      header: "Who can post",
      kind: "text",
      width: "184px",
      isMuted: true,
      isOptional: true,
      canHide: true,
      cell: ({ posting }) => POSTING[posting].label,
    },
    {
      area: "status",
      header: "Status",
      kind: "status",
      width: "124px",
      cell: (group) => <Status {...groupStatus(group, group.memberCount)} />,
    },
    {
      area: "members",
      header: "Members",
      kind: "number",
      width: "84px",
      sort: "-members",
      cell: ({ memberCount: count }) => (
        <>
          {count}
          <span className={classes.unit}>&nbsp;{memberNoun(count)}</span>
        </>
      ),
    },
    menuColumn(
      ({ id }) => id,
      ({ id }) => (
        <>
          <LinkItem href={groupUrl(id)} needs="manage_groups">
            Change members
          </LinkItem>
          <LinkItem href={`${groupUrl(id)}?tab=access`} needs="manage_groups">
            Change who can post
          </LinkItem>
          <CopyItem value={id}>Copy address</CopyItem>
        </>
      ),
    ),
  ],
  phone: `"address menu" auto "name name" auto "members status" auto / minmax(0, 1fr) auto`,
};
