"use client";

import { Button, Group, NativeSelect, Stack, Switch, Text, Textarea } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import {
  addressesIn,
  MODERATION,
  POSTING,
  REPLIES,
} from "#app/console/(pages)/groups/group-words.ts";
import {
  type GroupAccess,
  type GroupDetail,
  useUpdateAccess,
} from "#app/console/(pages)/groups/queries.ts";
import { FormProblem, problemOfField } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { textOf } from "#app/console/ui/text-of.ts";

const optionsOf = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));
const postingOptions = Object.entries(POSTING).map(([value, { label }]) => ({ value, label }));

/** Who may write to the group, who looks at it first, and how it goes out. */
export function AccessForm({ group, mayManage }: { group: GroupDetail; mayManage: boolean }) {
  const update = useUpdateAccess(group.id);
  const [posting, setPosting] = useState(group.posting);
  const [moderation, setModeration] = useState(group.moderation);
  const problems = {
    posters: problemOfField(update.error, "posters", "Addresses and domains"),
    moderators: problemOfField(update.error, "moderators", "Moderators"),
  };
  const isOfField = problems.posters !== null || problems.moderators !== null;

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    update.mutate({
      posting,
      moderation,
      ...(posting === "listed" && { posters: addressesIn(textOf(form, "posters")) }),
      ...(moderation !== "none" && { moderators: addressesIn(textOf(form, "moderators")) }),
      replies: textOf(form, "replies") as GroupAccess["replies"],
      members_send_as: form.has("members_send_as"),
      active: form.has("active"),
    });
  }

  return (
    <Panel title="Access">
      <form onSubmit={handleSubmit} method="post" noValidate>
        <fieldset disabled={!mayManage} style={{ border: 0, margin: 0, padding: 0, minWidth: 0 }}>
          <Stack gap="lg" maw={560}>
            <NativeSelect
              label="Who may write to it"
              description={POSTING[posting].help}
              size="md"
              data={postingOptions}
              value={posting}
              onChange={(event) => setPosting(event.currentTarget.value as typeof posting)}
            />
            {posting === "listed" && (
              <Textarea
                name="posters"
                label="Addresses and domains"
                description="One a line; a domain as @example.com."
                defaultValue={group.posters.join("\n")}
                error={problems.posters}
                size="md"
                rows={4}
                spellCheck={false}
              />
            )}
            <NativeSelect
              label="Whose mail waits for a moderator"
              size="md"
              data={optionsOf(MODERATION)}
              value={moderation}
              onChange={(event) => setModeration(event.currentTarget.value as typeof moderation)}
            />
            {moderation !== "none" && (
              <Textarea
                name="moderators"
                label="Moderators"
                description="Who is told that mail waits. Left empty, the owners of your company are. It is let through under Quarantine."
                defaultValue={group.moderators.join("\n")}
                error={problems.moderators}
                size="md"
                rows={3}
                spellCheck={false}
              />
            )}
            <NativeSelect
              name="replies"
              label="Where an answer goes"
              size="md"
              data={optionsOf(REPLIES)}
              defaultValue={group.replies}
            />
            <Switch
              name="members_send_as"
              label="Members with a mailbox here may write in the group's name"
              defaultChecked={group.members_send_as}
            />
            <Switch
              name="active"
              label="It takes mail"
              description="Switched off, mail to it is refused."
              defaultChecked={group.active}
            />
            {!isOfField && <FormProblem error={update.error} />}
            {mayManage && (
              <Group gap="xs">
                <Button type="submit" loading={update.isPending}>
                  Save access
                </Button>
                {update.isSuccess && <Text role="status">Saved</Text>}
              </Group>
            )}
          </Stack>
        </fieldset>
      </form>
    </Panel>
  );
}
