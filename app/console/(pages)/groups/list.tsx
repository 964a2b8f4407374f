"use client";

import { Text } from "@mantine/core";

import { ListPage } from "#app/console/ui/list-page.tsx";
import { CellUnit, ListRowLink } from "#app/console/ui/list-table.tsx";
import { statusColumn } from "#app/console/ui/list-columns.tsx";
import { CopyItem, LinkItem } from "#app/console/ui/row-menu.tsx";

import { groupStatus, groupUrl, memberNoun, POSTING } from "./labels.ts";

export const Groups = () => (
  <ListPage
    list="groups.list"
    title="Groups"
    description="Addresses that deliver mail to several members."
    help="groups"
    noun="groups"
    rowsPerPage={50}
    search="Address, name, or member"
    exports="groups.export"
    create={{ label: "Create group", href: "/console/groups/new", needs: "manage_groups" }}
    empty={{
      title: "No groups yet",
      children: (
        <Text>
          A group delivers mail sent to one address, such as support@, to all its members, inside
          and outside your company. You choose who can post and whether messages need approval.
        </Text>
      ),
    }}
    columns={{
      address: {
        header: "Address",
        kind: "name",
        width: "minmax(0, 6fr)",
        sort: "address",
        cell: ({ id }) => <ListRowLink href={groupUrl(id)}>{id}</ListRowLink>,
      },
      name: {
        header: "Name",
        width: "minmax(0, 5fr)",
        isMuted: true,
        sort: "name",
        canHide: true,
        cell: ({ name }) => name,
      },
      posting: {
        header: "Who can post",
        width: "184px",
        isMuted: true,
        isOptional: true,
        canHide: true,
        cell: ({ posting }) => POSTING[posting].label,
      },
      status: statusColumn("124px", groupStatus),
      members: {
        header: "Members",
        kind: "number",
        width: "84px",
        sort: "-members",
        cell: ({ memberCount: count }) => (
          <>
            {count}
            <CellUnit>&nbsp;{memberNoun(count)}</CellUnit>
          </>
        ),
      },
    }}
    menu={({ id }) => (
      <>
        <LinkItem href={groupUrl(id)} needs={["manage_groups"]}>
          Change members
        </LinkItem>
        <LinkItem href={`${groupUrl(id)}?tab=access`} needs={["manage_groups"]}>
          Change who can post
        </LinkItem>
        <CopyItem value={id}>Copy address</CopyItem>
      </>
    )}
    phone={`"address address menu" auto "name name name" auto "members status status" auto / minmax(0, 1fr) auto 28px`}
  />
);
