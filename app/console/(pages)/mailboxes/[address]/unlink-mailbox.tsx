"use client";

import { Text } from "@mantine/core";

import type { MailboxDetail } from "#app/console/(pages)/mailboxes/queries.ts";
import { ConfirmedButton } from "#app/console/ui/dialog.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { ExactTime } from "#app/console/ui/time.tsx";

import { useUnlinkMailbox } from "./access-queries.ts";

/** For a mailbox that is linked to an account at the identity provider. */
export function UnlinkMailbox({ mailbox, linkedAt }: { mailbox: MailboxDetail; linkedAt: string }) {
  const unlink = useUnlinkMailbox(mailbox.id);
  return (
    <Panel title="Single sign-on" aside={<Status tone="done" label="Linked" />}>
      <Text c="dimmed" mb={mailbox.may.reset_password ? "md" : 0}>
        Linked to an account at the identity provider since <ExactTime at={linkedAt} />. If that
        account was deleted and created again, unlink it.
      </Text>
      {mailbox.may.reset_password && (
        <ConfirmedButton
          label="Unlink account"
          title={`Unlink the account of ${mailbox.id}?`}
          onConfirm={() => unlink.run()}
        >
          Sessions that started with single sign-on end. When the mailbox user next signs in with
          the provider, the account that has the mailbox’s address at that time is linked.{" "}
          {mailbox.forcePasswordChange
            ? "App passwords stop working until then, or until the mailbox user sets a new password. If single sign-on is required, they keep working."
            : "App passwords keep working."}
        </ConfirmedButton>
      )}
    </Panel>
  );
}
