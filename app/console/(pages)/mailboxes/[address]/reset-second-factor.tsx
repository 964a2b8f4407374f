"use client";

import { Text } from "@mantine/core";

import {
  type MailboxDetail,
  useResetSecondFactor,
} from "#app/console/(pages)/mailboxes/queries.ts";
import { ConfirmedButton } from "#app/console/ui/dialog.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";

/** For a mailbox user who lost their second factors. */
export function ResetSecondFactor({ mailbox }: { mailbox: MailboxDetail }) {
  const reset = useResetSecondFactor(mailbox.id);
  return (
    <Panel title="Two-factor authentication" aside={<Status tone="done" label="On" />}>
      <Text c="dimmed" mb="md">
        If the mailbox user lost their authenticator app, passkeys, and recovery codes, verify who
        is asking, then remove them.
      </Text>
      <ConfirmedButton
        label="Remove second factors"
        title={`Remove second factors of ${mailbox.id}?`}
        onConfirm={() => reset.mutateAsync()}
      >
        The mailbox user is signed out everywhere and signs in with the password alone. Their
        recovery codes stop working.
      </ConfirmedButton>
    </Panel>
  );
}
