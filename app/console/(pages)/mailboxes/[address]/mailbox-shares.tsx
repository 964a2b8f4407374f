"use client";

import { Button, Group, NativeSelect, Stack, Switch, Text, TextInput } from "@mantine/core";
import { useQuery } from "@tanstack/react-query";

import type { MailboxDetail } from "#app/console/(pages)/mailboxes/queries.ts";
import { completeAddress } from "#app/console/ui/address-fields.tsx";
import { CopyableValue } from "#app/console/ui/code.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form, SubmitButton } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { QueryView, SkeletonLines } from "#app/console/ui/query-view.tsx";

import { type Share, sharesQuery, useRemoveShare, useSetShare } from "./share-queries.ts";

const ACCESS = { write: "Read and write", read: "Read only" };

/** Who else can open the mailbox in a mail app. */
export function MailboxShares({ mailbox }: { mailbox: MailboxDetail }) {
  const shares = useQuery(sharesQuery(mailbox.id));
  const mayShare = mailbox.may.reset_password;
  return (
    <Panel title="Shared with">
      <Text c="dimmed" mb="md">
        Shared mailboxes appear in mail apps under “Shared mailboxes”. Some apps only show them
        after you subscribe to their folders.
      </Text>
      <QueryView query={shares} noun="shares" skeleton={<SkeletonLines count={2} />}>
        {({ data }) =>
          data.length === 0 ? (
            <Text>Not shared.</Text>
          ) : (
            <ItemList label="Shared with">
              {data.map((share) => (
                <ItemRow
                  key={share.member}
                  title={<CopyableValue value={share.member} label="address" />}
                  actions={mayShare && <RemoveShare mailbox={mailbox.id} share={share} />}
                >
                  {share.kind === "group" && "Group members: "}
                  {ACCESS[share.access]}
                  {share.sendAs && ", send as this mailbox"}
                </ItemRow>
              ))}
            </ItemList>
          )
        }
      </QueryView>
      {mayShare && <ShareForm mailbox={mailbox} />}
    </Panel>
  );
}

function RemoveShare({ mailbox, share }: { mailbox: string; share: Share }) {
  const removal = useRemoveShare(mailbox);
  return (
    <Button
      variant="subtle"
      size="compact-sm"
      aria-label={`Stop sharing with ${share.member}`}
      aria-busy={removal.isPending}
      onClick={() => removal.start(share)}
    >
      Stop sharing
    </Button>
  );
}

type NewShare = { member: string; access: Share["access"]; sendAs: boolean };

const NEW_SHARE: NewShare = { member: "", access: "write", sendAs: false };

function ShareForm({ mailbox }: { mailbox: MailboxDetail }) {
  const sharing = useSetShare(mailbox.id);
  const form = useForm({
    initialValues: NEW_SHARE,
    labels: { member: "Mailbox or group", access: "Access", sendAs: "Send as" },
    checks: { member: required },
    draft: `share-${mailbox.id}`,
    send: ({ member, access, sendAs }) =>
      sharing.run({ member: completeAddress(member, mailbox.domain), access, sendAs }),
    clearsOnDone: true,
  });
  return (
    <Form
      form={form}
      actions={
        <Group>
          <SubmitButton form={form} variant="default">
            Share mailbox
          </SubmitButton>
        </Group>
      }
    >
      <Stack gap="md" mt="md" maw={420}>
        <TextInput
          {...form.field("member")}
          placeholder={`ann@${mailbox.domain}`}
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
        />
        <NativeSelect
          {...form.field("access")}
          size="md"
          data={Object.entries(ACCESS).map(([value, label]) => ({ value, label }))}
        />
        <Switch
          checked={form.values.sendAs}
          onChange={(event) => form.set("sendAs", event.currentTarget.checked)}
          label="Can send as this mailbox"
        />
      </Stack>
    </Form>
  );
}
