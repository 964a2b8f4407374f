"use client";

import { Button, Group, NativeSelect, Stack, Switch, Text, Textarea } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import {
  addressesIn,
  MODERATION,
  POSTING,
  problemOfList,
  REPLIES,
} from "#app/console/(pages)/groups/group-words.ts";
import {
  type GroupAccess,
  type GroupDetail,
  useUpdateAccess,
} from "#app/console/(pages)/groups/queries.ts";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

/** The settings with their lists as text, one entry a line. */
type Fields = Omit<GroupAccess, "posters" | "moderators"> & { posters: string; moderators: string };

const fieldsOf = (group: GroupDetail): Fields => ({
  ...{ posting: group.posting, moderation: group.moderation, replies: group.replies },
  ...{ members_send_as: group.members_send_as, active: group.active },
  posters: group.posters.join("\n"),
  moderators: group.moderators.join("\n"),
});

/** What is not shown is left as it is. */
function accessIn({ posters, moderators, ...rest }: Fields): Partial<GroupAccess> {
  return {
    ...rest,
    ...(rest.posting === "listed" && { posters: addressesIn(posters) }),
    ...(rest.moderation !== "none" && { moderators: addressesIn(moderators) }),
  };
}

const optionsOf = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));
const postingOptions = Object.entries(POSTING).map(([value, { label }]) => ({ value, label }));

/**
 * Who may write to the group, who looks at it first, and how it goes out. What is typed stays until it
 * is saved; then it is what the server has.
 */
export function AccessForm({ group }: { group: GroupDetail }) {
  const update = useUpdateAccess(group.id);
  const [fields, setFields] = useState(() => fieldsOf(group));
  const { posting, moderation } = fields;
  const problems = problemsOf(update.error, update.variables);
  const isOfField = problems.posters !== null || problems.moderators !== null;

  function change(field: Partial<Fields>) {
    setFields({ ...fields, ...field });
    if (update.isSuccess) update.reset();
  }

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (update.isPending) return;
    update.mutate(accessIn(fields), { onSuccess: (saved) => setFields(fieldsOf(saved)) });
  }

  return (
    <Panel title="Access">
      <form onSubmit={handleSubmit} method="post" noValidate>
        <Stack gap="lg" maw={560}>
          <NativeSelect
            label="Who may write to it"
            description={POSTING[posting].help}
            size="md"
            data={postingOptions}
            value={posting}
            onChange={(event) => change({ posting: event.currentTarget.value as typeof posting })}
          />
          {posting === "listed" && (
            <Textarea
              label="Addresses and domains"
              description="One a line; a domain as @example.com."
              value={fields.posters}
              onChange={(event) => change({ posters: event.currentTarget.value })}
              error={problems.posters}
              size="md"
              rows={4}
              spellCheck={false}
            />
          )}
          <NativeSelect
            label="Which mail waits for a moderator"
            size="md"
            data={optionsOf(MODERATION)}
            value={moderation}
            onChange={(event) =>
              change({ moderation: event.currentTarget.value as typeof moderation })
            }
          />
          {moderation !== "none" && (
            <Textarea
              label="Moderators"
              description="People of your company who are told that mail waits, one address a line. Left empty, its owners are. Mail is let through under Quarantine."
              value={fields.moderators}
              onChange={(event) => change({ moderators: event.currentTarget.value })}
              error={problems.moderators}
              size="md"
              rows={3}
              spellCheck={false}
            />
          )}
          <NativeSelect
            label="Where an answer goes"
            size="md"
            data={optionsOf(REPLIES)}
            value={fields.replies}
            onChange={(event) =>
              change({ replies: event.currentTarget.value as Fields["replies"] })
            }
          />
          <Switch
            label="Members with a mailbox here may write in the group's name"
            checked={fields.members_send_as}
            onChange={(event) => change({ members_send_as: event.currentTarget.checked })}
          />
          <Switch
            label="It takes mail"
            description="Switched off, mail to it is refused."
            checked={fields.active}
            onChange={(event) => change({ active: event.currentTarget.checked })}
          />
          {!isOfField && <FormProblem error={update.error} />}
          <Group gap="xs">
            <Button type="submit" aria-busy={update.isPending}>
              Save access
            </Button>
            <Text role="status">{update.isSuccess && "Saved"}</Text>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

function problemsOf(error: Error | null, sent: Partial<GroupAccess> | undefined) {
  // Places are counted among the addresses only.
  const addresses = sent?.posters?.filter((entry) => !entry.startsWith("@"));
  const moderators = sent?.moderators;
  return {
    posters: problemOfList(error, {
      ...{ field: "posters", label: "Addresses and domains", entries: addresses },
    }),
    moderators: problemOfList(error, {
      ...{ field: "moderators", label: "Moderators:", entries: moderators },
    }),
  };
}
