"use client";

import { Stack, Tabs } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import {
  groupStatus,
  MODERATION,
  POSTING,
  REPLIES,
} from "#app/console/(pages)/groups/group-labels.ts";
import { type GroupDetail, groupQuery } from "#app/console/(pages)/groups/queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { DescriptionItem, DescriptionList } from "#app/console/ui/details.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { UrlTabs } from "#app/console/ui/tabs.tsx";

import { DeleteGroup } from "./delete-group.tsx";
import { GroupAccessForm } from "./group-access-form.tsx";
import { GroupMembers } from "./group-members.tsx";
import { GroupNameForm } from "./group-name-form.tsx";
import { GroupSkeleton } from "./group-skeleton.tsx";

export function GroupDetails({ address }: { address: string }) {
  const group = useQuery(groupQuery(address));
  return (
    <>
      <Breadcrumbs trail={[{ label: "Groups", href: "/console/groups" }]} />
      <QueryView query={group} noun="this group" skeleton={<GroupSkeleton />} titleOrder={1}>
        {(group) => (
          <>
            <PageHeader
              documentTitle={`${group.id} · Groups`}
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

const TABS = { members: "Members", access: "Access and settings" };

function GroupTabs({ group }: { group: GroupDetail }) {
  const { has, isOwner } = usePrivileges();
  const mayManage = has("manage_groups");
  return (
    <UrlTabs labels={TABS}>
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
    </UrlTabs>
  );
}

/** Read-only settings for admins who can't manage groups. */
function GroupAccessFacts({ group }: { group: GroupDetail }) {
  const { posting, posters, moderation, moderators } = group;
  return (
    <Panel title="Access">
      <DescriptionList>
        <DescriptionItem label="Name">{group.name || "None"}</DescriptionItem>
        <DescriptionItem label="Who can post">
          {posting === "listed" ? posters.join(", ") : POSTING[posting].label}
        </DescriptionItem>
        <DescriptionItem label="Message moderation">{MODERATION[moderation]}</DescriptionItem>
        {moderation !== "none" && (
          <DescriptionItem label="Moderators">
            {moderators.join(", ") || "Company owners"}
          </DescriptionItem>
        )}
        <DescriptionItem label="Replies go to">{REPLIES[group.replies]}</DescriptionItem>
        <DescriptionItem label="Who can send as the group">
          {group.membersSendAs ? "Members with a mailbox" : "No one"}
        </DescriptionItem>
      </DescriptionList>
    </Panel>
  );
}
