"use client";

import { Box, Button, Skeleton, Stack, Tabs, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useRouter } from "next/navigation";
import { useState } from "react";

import {
  DELETED_KEYS,
  restoreItem,
  useRestorableUntil,
} from "#app/console/(pages)/deleted/restore.ts";
import type { InputOf } from "#app/console/console-client.ts";
import { queryOf, useRead } from "#app/console/endpoint-queries.ts";
import { usePrivileges } from "#app/console/session.ts";
import { AddressPicker } from "#app/console/ui/addresses.tsx";
import { Breadcrumbs, PageHeader } from "#app/console/ui/page-header.tsx";
import { DangerousAction } from "#app/console/ui/dialog.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { DescriptionList, ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { PanelSkeleton, QueryView } from "#app/console/ui/query-view.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { UrlTabs } from "#app/console/ui/tabs.tsx";
import { useChange } from "#app/console/ui/actions.tsx";

import {
  CHANGES_GROUP,
  GroupAccessForm,
  GroupNameForm,
  unitIds,
  UnitMemberSelect,
} from "./forms.tsx";
import {
  countMembers,
  type GroupDetail,
  groupStatus,
  MODERATION,
  POSTING,
  REPLIES,
} from "./labels.ts";
import classes from "./groups.module.css";

export function GroupDetails({ address }: { address: string }) {
  const group = useRead("groups.get", { params: { address } }, { refetchInterval: 15_000 });
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
                  <Status {...groupStatus(group)} />
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
      <DescriptionList
        items={{
          Name: group.name || "None",
          "Who can post": posting === "listed" ? posters.join(", ") : POSTING[posting].label,
          "Message moderation": MODERATION[moderation],
          Moderators: moderation !== "none" && (moderators.join(", ") || "Company owners"),
          "Replies go to": REPLIES[group.replies],
          "Who can send as the group": group.membersSendAs ? "Members with a mailbox" : "No one",
        }}
      />
    </Panel>
  );
}

type MembersChange = InputOf<"groups.changeMembers">["body"];

/** Shorter lists need no search. */
const SEARCH_FROM = 12;

/** An address, or a unit whose mailboxes are members. */
type Member = {
  key: string;
  label: string;
  text: string;
  isUnit: boolean;
  add: MembersChange;
  remove: MembersChange;
};

const membersOf = ({ units, describedMembers }: GroupDetail): Member[] => [
  ...units.map(({ id, name, isRoot, mailboxes }) => ({
    key: `unit-${id}`,
    label: isRoot ? `Everyone in ${name}` : name,
    text: `Unit · ${pluralize(mailboxes, "mailbox", "mailboxes")}`,
    isUnit: true,
    add: { addUnits: [id] },
    remove: { removeUnits: [id] },
  })),
  ...describedMembers.map(({ address, name, isExternal }) => ({
    key: address,
    label: address,
    text: isExternal ? "External" : name,
    isUnit: false,
    add: { add: [address] },
    remove: { remove: [address] },
  })),
];

function GroupMembers({ group, mayManage }: { group: GroupDetail; mayManage: boolean }) {
  const [lastRemoved, setLastRemoved] = useState<Member | null>(null);
  const [search, setSearch] = useState("");
  const addBack = useChange("groups.changeMembers", {
    ...CHANGES_GROUP,
    onDone: () => setLastRemoved(null),
  });
  const wanted = search.trim().toLowerCase();
  const members = membersOf(group);
  const shown = members.filter(({ label, text }) =>
    `${label} ${text}`.toLowerCase().includes(wanted),
  );
  const list = (
    <Panel
      title={countMembers(group.memberCount)}
      aside={members.length >= SEARCH_FROM && <MemberSearch text={search} onChange={setSearch} />}
    >
      <Stack gap="md">
        {group.memberCount === 0 && (
          <Text c="dimmed">
            {members.length === 0
              ? "Mail to this group is discarded until you add members."
              : "Mail to this group is discarded, since its units have no mailboxes yet."}{" "}
            The mail log lists it.
          </Text>
        )}
        {shown.length > 0 && (
          <ItemList label="Members">
            {shown.map((member) => (
              <ItemRow
                key={member.key}
                title={
                  member.isUnit ? (
                    member.label
                  ) : (
                    <CopyableValue value={member.label} label="address" />
                  )
                }
                actions={
                  mayManage && (
                    <RemoveMember group={group} member={member} onRemoved={setLastRemoved} />
                  )
                }
              >
                {member.text}
              </ItemRow>
            ))}
          </ItemList>
        )}
        {members.length > 0 && shown.length === 0 && (
          <Text c="dimmed" role="status">
            No matching members.
          </Text>
        )}
      </Stack>
      <Box role="status" mt={lastRemoved === null ? 0 : "md"}>
        {lastRemoved !== null && (
          <>
            {lastRemoved.label} was removed from the group.{" "}
            {/* Takes the focus, because the Remove button is gone. */}
            <Button
              key={lastRemoved.key}
              variant="subtle"
              size="compact-sm"
              aria-label={`Undo removing ${lastRemoved.label}`}
              aria-busy={addBack.isPending}
              autoFocus
              onClick={() =>
                addBack.start({ params: { address: group.id }, body: lastRemoved.add })
              }
            >
              Undo
            </Button>
          </>
        )}
      </Box>
    </Panel>
  );
  if (!mayManage) return list;
  return (
    <div className={classes.both}>
      {list}
      <AddMembers group={group} />
    </div>
  );
}

type RemoveMemberProps = {
  group: GroupDetail;
  member: Member;
  onRemoved: (member: Member) => void;
};

/** Each row has its own request, so that several members can be removed in quick succession. */
function RemoveMember({ group, member, onRemoved }: RemoveMemberProps) {
  const params = { address: group.id };
  const removal = useChange("groups.changeMembers", {
    ...CHANGES_GROUP,
    invalidates: [queryOf("groups.get", { params })],
    onDone: () => onRemoved(member),
  });
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      aria-label={`Remove ${member.label}`}
      aria-busy={removal.isPending}
      onClick={() => removal.start({ params, body: member.remove })}
    >
      Remove
    </Button>
  );
}

const MemberSearch = ({ text, onChange }: { text: string; onChange: (text: string) => void }) => (
  <TextInput
    size="sm"
    type="search"
    aria-label="Search members"
    placeholder="Search members"
    leftSection={<IconSearch size={14} />}
    value={text}
    onChange={(event) => onChange(event.currentTarget.value)}
  />
);

function AddMembers({ group }: { group: GroupDetail }) {
  const addition = useChange("groups.changeMembers", CHANGES_GROUP);
  const form = useForm({
    initialValues: { add: [] as string[], unit: "" },
    labels: { add: "Members", unit: "Unit" },
    checks: {
      add: (entries, { unit }) =>
        entries.length === 0 && unit === "" ? "Enter at least one address, or select a unit" : null,
    },
    draft: `group-members-${group.id}`,
    send: ({ add, unit }) =>
      addition.run({ params: { address: group.id }, body: { add, addUnits: unitIds(unit) } }),
    entries: ({ add }) => ({ add }),
    clearsOnDone: true,
  });

  return (
    <Panel title="Add members">
      <Form form={form} submit="Add members" isSecondary>
        <AddressPicker
          {...form.field("add")}
          label={undefined}
          aria-label="Add members"
          checks
          description="Typed or pasted. External addresses are allowed."
        />
        <UnitMemberSelect {...form.field("unit")} members={group.units} />
      </Form>
    </Panel>
  );
}

/** Shown to owners only. */
function DeleteGroup({ group }: { group: GroupDetail }) {
  const router = useRouter();
  const deletion = useChange("groups.delete", {
    forgets: ["groups.list"],
    invalidates: DELETED_KEYS,
    success: `${group.id} deleted`,
    undo: (_, { deletedId: id }) => restoreItem(id),
  });
  const restorable = useRestorableUntil();

  return (
    <DangerousAction
      title="Delete this group"
      action="Delete group"
      description={
        <>
          Mail to this group will be rejected. Members keep their mailboxes and the mail they’ve
          received. {restorable}
        </>
      }
      question={`Delete ${group.id}?`}
      typeToConfirm={group.id}
      leavesPage
      onConfirm={async () => {
        await deletion.run({ params: { address: group.id } });
        router.replace("/console/groups");
      }}
    >
      Mail to this group will be rejected. {restorable} Until then its address can’t be used for
      anything else.
    </DangerousAction>
  );
}

const GroupSkeleton = () => (
  <>
    <Skeleton height={20} width="45%" mt={4} mb={8} />
    <Skeleton height={12} width={80} mb={32} />
    <Skeleton height={12} width={200} mb={24} />
    <PanelSkeleton count={5} />
  </>
);
