"use client";

import { Button, Group, Stack, Text, Textarea } from "@mantine/core";
import { type SubmitEvent, useRef, useState } from "react";

import {
  addressesIn,
  membersInWords,
  problemOfList,
} from "#app/console/(pages)/groups/group-words.ts";
import { type GroupDetail, useChangeMembers } from "#app/console/(pages)/groups/queries.ts";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { Mono } from "#app/console/ui/mono.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { textOf } from "#app/console/ui/text-of.ts";

import classes from "./members.module.css";

/** Who gets the group's mail. */
export function Members({ group, mayManage }: { group: GroupDetail; mayManage: boolean }) {
  const [lastRemoved, setLastRemoved] = useState<string | null>(null);
  const update = useChangeMembers(group.id);
  const remove = (member: string) =>
    update.mutate({ remove: [member] }, { onSuccess: () => setLastRemoved(member) });
  const putBack = (member: string) =>
    update.mutate({ add: [member] }, { onSuccess: () => setLastRemoved(null) });
  return (
    <Panel title={membersInWords(group.members.length)}>
      <Stack gap="md">
        {group.members.length > 0 && (
          <ul className={classes.list}>
            {group.members.map((member) => (
              <li key={member} className={classes.member}>
                <Mono value={member} what="address" />
                {mayManage && (
                  <Button
                    variant="subtle"
                    size="compact-sm"
                    aria-label={`Remove ${member}`}
                    disabled={update.isPending}
                    onClick={() => remove(member)}
                  >
                    Remove
                  </Button>
                )}
              </li>
            ))}
          </ul>
        )}
        {lastRemoved !== null && (
          <Text role="status">
            {lastRemoved} gets no more mail of this group.{" "}
            {/* The button that was pressed is gone: the focus goes on here. */}
            <Button
              key={lastRemoved}
              variant="subtle"
              size="compact-sm"
              aria-label={`Put back ${lastRemoved}`}
              disabled={update.isPending}
              autoFocus
              onClick={() => putBack(lastRemoved)}
            >
              Put back
            </Button>
          </Text>
        )}
        <FormProblem error={update.error} />
        {mayManage && <AddMembers group={group} />}
      </Stack>
    </Panel>
  );
}

function AddMembers({ group }: { group: GroupDetail }) {
  const addition = useChangeMembers(group.id);
  const form = useRef<HTMLFormElement>(null);
  const [isNobody, setIsNobody] = useState(false);
  const problem = isNobody
    ? "Enter at least one address"
    : problemOfList(addition.error, {
        ...{ field: "add", label: "Members" },
        entries: addition.variables?.add,
      });

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const added = addressesIn(textOf(new FormData(event.currentTarget), "members"));
    setIsNobody(added.length === 0);
    if (added.length === 0) return;
    addition.mutate({ add: added }, { onSuccess: () => form.current?.reset() });
  }

  return (
    <form ref={form} onSubmit={handleSubmit} method="post" noValidate>
      <Stack gap="sm" maw={560}>
        <Textarea
          name="members"
          label="Add members"
          description="Addresses, one a line. They may be outside your company."
          error={problem}
          size="md"
          autosize
          minRows={3}
          maxRows={12}
          autoComplete="off"
          spellCheck={false}
        />
        {!problem && <FormProblem error={addition.error} />}
        <Group gap="xs">
          <Button type="submit" variant="default" loading={addition.isPending}>
            Add members
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
