"use client";

import { Group, NativeSelect, Switch } from "@mantine/core";

import { MODERATION, POSTING, REPLIES } from "#app/console/(pages)/groups/group-labels.ts";
import {
  type GroupAccess,
  type GroupDetail,
  useUpdateGroupAccess,
} from "#app/console/(pages)/groups/queries.ts";
import { AddressPicker } from "#app/console/ui/addresses.tsx";
import { Form, SavedStatus, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Panel } from "#app/console/ui/panel.tsx";

const toFields = (group: GroupDetail): GroupAccess => ({
  posting: group.posting,
  moderation: group.moderation,
  replies: group.replies,
  membersSendAs: group.membersSendAs,
  active: group.active,
  posters: group.posters,
  moderators: group.moderators,
});

/** Omits lists that aren't shown, so that they stay unchanged. */
function fromFields({ posters, moderators, ...rest }: GroupAccess): Partial<GroupAccess> {
  return {
    ...rest,
    ...(rest.posting === "listed" && { posters }),
    ...(rest.moderation !== "none" && { moderators }),
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
      posters: posters.filter((entry) => !entry.startsWith("@")),
      moderators,
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
          <AddressPicker
            {...form.field("posters")}
            checks
            takesDomains
            description="Enter a domain as @example.com."
          />
        )}
        <NativeSelect
          {...form.field("moderation")}
          label="Message moderation"
          size="md"
          data={toOptions(MODERATION)}
        />
        {moderation !== "none" && (
          <AddressPicker
            {...form.field("moderators")}
            suggests={["mailbox"]}
            checks
            description="Mailboxes of your company to notify about messages awaiting approval. If empty, company owners are notified. Approve messages under Quarantine."
          />
        )}
        <NativeSelect
          {...form.field("replies")}
          label="Replies go to"
          size="md"
          data={toOptions(REPLIES)}
        />
        <Switch
          checked={form.values.membersSendAs}
          onChange={(event) => form.set("membersSendAs", event.currentTarget.checked)}
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
