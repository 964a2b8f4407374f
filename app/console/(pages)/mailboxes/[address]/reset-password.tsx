"use client";

import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import {
  type MailboxDetail,
  useResetPassword,
  useUpdateMailbox,
} from "#app/console/(pages)/mailboxes/queries.ts";
import { TemporaryPassword } from "#app/console/(pages)/mailboxes/temporary-password.tsx";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

/** A new password made here, or one that the person has to choose. */
export function ResetPassword({ mailbox }: { mailbox: MailboxDetail }) {
  const reset = useResetPassword(mailbox.id);
  const update = useUpdateMailbox(mailbox.id);
  const [isOpen, dialog] = useDisclosure();
  const isDue = mailbox.force_password_change;
  return (
    <Panel title="Password">
      <Text c="dimmed" mb="md">
        {isDue
          ? "Mail apps are refused until the person has chosen a new password at their account page."
          : "A person who has forgotten it gets a temporary one. App passwords stay, and work again once a new password is chosen."}
      </Text>
      <Button variant="default" onClick={dialog.open} mr="xs">
        Reset password
      </Button>
      <Button
        variant="subtle"
        loading={update.isPending}
        onClick={() => update.mutate({ force_password_change: !isDue })}
      >
        {isDue ? "Do not ask for a new one" : "Have a new one chosen"}
      </Button>
      <FormProblem error={update.error} />
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Reset the password of ${mailbox.id}`}
        verb="Reset password"
        isPending={reset.isPending}
        error={reset.error}
        onConfirm={() => reset.mutate(undefined, { onSuccess: dialog.close })}
      >
        The old password stops working at once, and mail apps that are signed in are signed out. You
        get a temporary password to hand over.
      </ConfirmDialog>
      {reset.data && (
        <TemporaryPassword
          address={mailbox.id}
          password={reset.data.temporary_password}
          onStored={reset.reset}
        />
      )}
    </Panel>
  );
}
