"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconSearch } from "@tabler/icons-react";
import { useState } from "react";

import { countMembers } from "#app/console/(pages)/groups/group-labels.ts";
import {
  type GroupDetail,
  groupQuery,
  useChangeMembers,
} from "#app/console/(pages)/groups/queries.ts";
import { AddressPicker } from "#app/console/ui/addresses.tsx";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { useAction } from "#app/console/ui/actions.tsx";

import classes from "./group-members.module.css";

/** Shorter lists need no search. */
const SEARCH_FROM = 12;

export function GroupMembers({ group, mayManage }: { group: GroupDetail; mayManage: boolean }) {
  const [lastRemoved, setLastRemoved] = useState<string | null>(null);
  const [search, setSearch] = useState("");
  const addition = useChangeMembers(group.id);
  const addBack = useAction({
    call: (member: string) => addition.mutateAsync({ add: [member] }),
    onDone: () => setLastRemoved(null),
  });
  const wanted = search.trim().toLowerCase();
  const shown = group.members.filter((member) => member.includes(wanted));
  const list = (
    <Panel
      title={countMembers(group.members.length)}
      aside={
        group.members.length >= SEARCH_FROM && <MemberSearch text={search} onChange={setSearch} />
      }
    >
      <Stack gap="md">
        {group.members.length === 0 && (
          <Text c="dimmed">
            Mail to this group is discarded until you add members. The mail log lists it.
          </Text>
        )}
        {shown.length > 0 && (
          <ItemList label="Members">
            {shown.map((member) => (
              <ItemRow
                key={member}
                title={<CopyableValue value={member} label="address" />}
                actions={
                  mayManage && (
                    <RemoveMember group={group} member={member} onRemoved={setLastRemoved} />
                  )
                }
              />
            ))}
          </ItemList>
        )}
        {group.members.length > 0 && shown.length === 0 && (
          <Text c="dimmed" role="status">
            No matching members.
          </Text>
        )}
      </Stack>
      <div role="status" className={classes.removed}>
        {lastRemoved !== null && (
          <>
            {lastRemoved} was removed from the group.{" "}
            {/* Takes the focus, because the Remove button is gone. */}
            <Button
              key={lastRemoved}
              variant="subtle"
              size="compact-sm"
              aria-label={`Undo removing ${lastRemoved}`}
              aria-busy={addBack.isPending}
              autoFocus
              onClick={() => addBack.start(lastRemoved)}
            >
              Undo
            </Button>
          </>
        )}
      </div>
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

/** Each row has its own request, so that several members can be removed in quick succession. */
function RemoveMember({
  group,
  member,
  onRemoved,
}: {
  group: GroupDetail;
  member: string;
  onRemoved: (member: string) => void;
}) {
  const change = useChangeMembers(group.id);
  const removal = useAction({
    call: () => change.mutateAsync({ remove: [member] }),
    invalidates: [groupQuery(group.id).queryKey],
    onDone: () => onRemoved(member),
  });
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      aria-label={`Remove ${member}`}
      aria-busy={removal.isPending}
      onClick={() => removal.start()}
    >
      Remove
    </Button>
  );
}

function MemberSearch({ text, onChange }: { text: string; onChange: (text: string) => void }) {
  return (
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
}

function AddMembers({ group }: { group: GroupDetail }) {
  const addition = useChangeMembers(group.id);
  const form = useForm({
    initialValues: { add: [] as string[] },
    labels: { add: "Members" },
    checks: { add: (entries) => (entries.length === 0 ? "Enter at least one address" : null) },
    draft: `group-members-${group.id}`,
    send: ({ add }) => addition.mutateAsync({ add }),
    entries: ({ add }) => ({ add }),
    clearsOnDone: true,
  });

  return (
    <Panel title="Add members">
      <Form
        form={form}
        actions={
          <Group gap="xs">
            <SubmitButton form={form} variant="default">
              Add members
            </SubmitButton>
          </Group>
        }
      >
        <AddressPicker
          {...form.field("add")}
          label={undefined}
          aria-label="Add members"
          checks
          description="Typed or pasted. External addresses are allowed."
        />
      </Form>
    </Panel>
  );
}
