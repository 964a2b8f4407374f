"use client";

import { Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";
import { useSearchParams } from "next/navigation";

import { groupStatus } from "#app/console/(pages)/groups/group-labels.ts";
import { type GroupDetail, groupQuery } from "#app/console/(pages)/groups/queries.ts";
import { usePrivileges } from "#app/console/privileges.ts";
import { Breadcrumbs } from "#app/console/ui/breadcrumbs.tsx";
import { PageHeader } from "#app/console/ui/page-header.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { replaceSearch } from "#app/console/ui/url-search.ts";
import { Status } from "#app/console/ui/status.tsx";

import { GroupAccessFacts } from "./group-access-facts.tsx";
import { GroupAccessForm } from "./group-access-form.tsx";
import { DeleteGroup } from "./delete-group.tsx";
import { GroupSkeleton } from "./group-skeleton.tsx";
import { GroupMembers } from "./group-members.tsx";
import { GroupNameForm } from "./group-name-form.tsx";

export function GroupDetails({ address }: { address: string }) {
  const group = useQuery(groupQuery(address));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Groups", href: "/console/groups" }]} />
      <QueryView query={group} noun="this group" skeleton={<GroupSkeleton />} titleOrder={1}>
        {(group) => (
          <>
            <PageHeader
              title={group.id}
              description={
                <>
                  {group.name !== "" && `${group.name} · `}
                  <Status {...groupStatus(group, group.members.length)} />
                </>
              }
              help="groups"
            />
            <GroupTabs group={group} />
          </>
        )}
      </QueryView>
    </>
  );
}

/** The open tab is in the URL. */
function GroupTabs({ group }: { group: GroupDetail }) {
  const { has, isOwner } = usePrivileges();
  const mayManage = has("manage_groups");
  const tab = useSearchParams().get("tab") === "access" ? "access" : "members";
  return (
    <Tabs
      value={tab}
      onChange={(next) => replaceSearch(next === "access" ? "?tab=access" : "?")}
      keepMounted={false}
    >
      <Tabs.List mb="md">
        <Tabs.Tab value="members">Members</Tabs.Tab>
        <Tabs.Tab value="access">Access and settings</Tabs.Tab>
      </Tabs.List>
      <Tabs.Panel value="members">
        <GroupMembers group={group} mayManage={mayManage} />
      </Tabs.Panel>
      <Tabs.Panel value="access">
        <Stack gap="md">
          {mayManage && <GroupNameForm group={group} />}
          {mayManage ? <GroupAccessForm group={group} /> : <GroupAccessFacts group={group} />}
          {isOwner && <DeleteGroup group={group} />}
        </Stack>
      </Tabs.Panel>
    </Tabs>
  );
}
