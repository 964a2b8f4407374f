"use client";

import { Group, NativeSelect, Switch, Textarea } from "@mantine/core";

import {
  parseAddresses,
  MODERATION,
  POSTING,
  REPLIES,
} from "#app/console/(pages)/groups/group-labels.ts";
import {
  type GroupAccess,
  type GroupDetail,
  useUpdateGroupAccess,
} from "#app/console/(pages)/groups/queries.ts";
import { Form, SavedStatus, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
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

export function GroupAccessForm({ group }: { group: GroupDetail }) {
  const update = useUpdateGroupAccess(group.id);
  const form = useForm({
    initialValues: toFields(group),
    labels: { posters: "Addresses and domains", moderators: "Moderators" },
    draft: `group-access-${group.id}`,
    send: (fields) => update.mutateAsync(fromFields(fields)),
    entries: ({ posters, moderators }) => ({
      // The server's indexes count addresses only, not domains.
      posters: parseAddresses(posters).filter((entry) => !entry.startsWith("@")),
      moderators: parseAddresses(moderators),
    }),
    stored: toFields,
  });
  const { posting, moderation } = form.values;

  return (
    <Panel title="Access">
      <Form
        form={form}
        gap="lg"
        maxWidth={560}
        actions={
          <Group gap="xs">
            <SubmitButton form={form}>Save access settings</SubmitButton>
            <SavedStatus form={form} />
          </Group>
        }
      >
        <NativeSelect
          {...form.field("posting")}
          label="Who can post"
          description={POSTING[posting].help}
          size="md"
          data={postingOptions}
        />
        {posting === "listed" && (
          <Textarea
            {...form.field("posters")}
            description="One per line. Enter a domain as @example.com."
            size="md"
            rows={4}
            spellCheck={false}
          />
        )}
        <NativeSelect
          {...form.field("moderation")}
          label="Message moderation"
          size="md"
          data={toOptions(MODERATION)}
        />
        {moderation !== "none" && (
          <Textarea
            {...form.field("moderators")}
            description="Mailboxes of your company to notify about messages awaiting approval, one address per line. If empty, company owners are notified. Approve messages under Quarantine."
            size="md"
            rows={3}
            spellCheck={false}
          />
        )}
        <NativeSelect
          {...form.field("replies")}
          label="Replies go to"
          size="md"
          data={toOptions(REPLIES)}
        />
        <Switch
          checked={form.values.members_send_as}
          onChange={(event) => form.set("members_send_as", event.currentTarget.checked)}
          label="Members with a mailbox can send as the group"
        />
        <Switch
          checked={form.values.active}
          onChange={(event) => form.set("active", event.currentTarget.checked)}
          label="Accept mail"
          description="When off, mail to this group is rejected."
        />
      </Form>
    </Panel>
  );
}
