"use client";

import { Button, Group, NativeSelect, Stack, Switch, Text, Textarea } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import {
  parseAddresses,
  MODERATION,
  POSTING,
  listFieldError,
  REPLIES,
} from "#app/console/(pages)/groups/group-labels.ts";
import {
  type GroupAccess,
  type GroupDetail,
  useUpdateGroupAccess,
} from "#app/console/(pages)/groups/queries.ts";
import { FormError } from "#app/console/ui/form-error.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

/** The settings with lists as text, one entry per line. */
type Fields = Omit<GroupAccess, "posters" | "moderators"> & { posters: string; moderators: string };

const toFields = (group: GroupDetail): Fields => ({
  ...{ posting: group.posting, moderation: group.moderation, replies: group.replies },
  ...{ members_send_as: group.members_send_as, active: group.active },
  posters: group.posters.join("\n"),
  moderators: group.moderators.join("\n"),
});

/** Omits lists that aren't shown, so that they stay unchanged. */
function fromFields({ posters, moderators, ...rest }: Fields): Partial<GroupAccess> {
  return {
    ...rest,
    ...(rest.posting === "listed" && { posters: parseAddresses(posters) }),
    ...(rest.moderation !== "none" && { moderators: parseAddresses(moderators) }),
  };
}

const toOptions = (words: Record<string, string>) =>
  Object.entries(words).map(([value, label]) => ({ value, label }));
const postingOptions = Object.entries(POSTING).map(([value, { label }]) => ({ value, label }));

/** Input stays as typed until it is saved; then the form shows what the server stored. */
export function GroupAccessForm({ group }: { group: GroupDetail }) {
  const update = useUpdateGroupAccess(group.id);
  const [fields, setFields] = useState(() => toFields(group));
  const { posting, moderation } = fields;
  const problems = fieldErrors(update.error, update.variables);
  const isOfField = problems.posters !== null || problems.moderators !== null;

  function change(field: Partial<Fields>) {
    setFields({ ...fields, ...field });
    if (update.isSuccess) update.reset();
  }

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (update.isPending) return;
    update.mutate(fromFields(fields), { onSuccess: (saved) => setFields(toFields(saved)) });
  }

  return (
    <Panel title="Access">
      <form onSubmit={handleSubmit} method="post" noValidate>
        <Stack gap="lg" maw={560}>
          <NativeSelect
            label="Who can post"
            description={POSTING[posting].help}
            size="md"
            data={postingOptions}
            value={posting}
            onChange={(event) => change({ posting: event.currentTarget.value as typeof posting })}
          />
          {posting === "listed" && (
            <Textarea
              label="Addresses and domains"
              description="One per line. Enter a domain as @example.com."
              value={fields.posters}
              onChange={(event) => change({ posters: event.currentTarget.value })}
              error={problems.posters}
              size="md"
              rows={4}
              spellCheck={false}
            />
          )}
          <NativeSelect
            label="Message moderation"
            size="md"
            data={toOptions(MODERATION)}
            value={moderation}
            onChange={(event) =>
              change({ moderation: event.currentTarget.value as typeof moderation })
            }
          />
          {moderation !== "none" && (
            <Textarea
              label="Moderators"
              description="Mailboxes of your company to notify about messages awaiting approval, one address per line. If empty, company owners are notified. Approve messages under Quarantine."
              value={fields.moderators}
              onChange={(event) => change({ moderators: event.currentTarget.value })}
              error={problems.moderators}
              size="md"
              rows={3}
              spellCheck={false}
            />
          )}
          <NativeSelect
            label="Replies go to"
            size="md"
            data={toOptions(REPLIES)}
            value={fields.replies}
            onChange={(event) =>
              change({ replies: event.currentTarget.value as Fields["replies"] })
            }
          />
          <Switch
            label="Members with a mailbox can send as the group"
            checked={fields.members_send_as}
            onChange={(event) => change({ members_send_as: event.currentTarget.checked })}
          />
          <Switch
            label="Accept mail"
            description="When off, mail to this group is rejected."
            checked={fields.active}
            onChange={(event) => change({ active: event.currentTarget.checked })}
          />
          {!isOfField && <FormError error={update.error} />}
          <Group gap="xs">
            <Button type="submit" aria-busy={update.isPending}>
              Save access settings
            </Button>
            <Text role="status">{update.isSuccess && "Saved"}</Text>
          </Group>
        </Stack>
      </form>
    </Panel>
  );
}

function fieldErrors(error: Error | null, sent: Partial<GroupAccess> | undefined) {
  // The server's indexes count addresses only, not domains.
  const addresses = sent?.posters?.filter((entry) => !entry.startsWith("@"));
  const moderators = sent?.moderators;
  return {
    posters: listFieldError(error, {
      ...{ field: "posters", label: "Addresses and domains", entries: addresses },
    }),
    moderators: listFieldError(error, {
      ...{ field: "moderators", label: "Moderators:", entries: moderators },
    }),
  };
}
