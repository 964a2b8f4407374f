"use client";

import { Button, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import {
  type MailboxDetail,
  useResetPassword,
  useUpdateMailbox,
} from "#app/console/(pages)/mailboxes/queries.ts";
import { TemporaryPassword } from "#app/console/(pages)/mailboxes/temporary-password.tsx";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { FormError } from "#app/console/ui/form-error.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

/** A new password made here, or one that the person has to choose. */
export function ResetPassword({ mailbox }: { mailbox: MailboxDetail }) {
  const reset = useResetPassword(mailbox.id);
  const [isOpen, dialog] = useDisclosure();

  function handleOpen() {
    reset.reset();
    dialog.open();
  }

  return (
    <Panel title="Password">
      <Text c="dimmed" mb="md">
        {mailbox.force_password_change
          ? "Mail apps are refused until the person has chosen a new password at their account page."
          : "A person who has forgotten it gets a temporary one. App passwords stay, and work again once a new password is chosen."}
      </Text>
      <Group gap="xs">
        <Button variant="default" onClick={handleOpen}>
          Reset password
        </Button>
        <RequirePasswordChange mailbox={mailbox} />
      </Group>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Reset the password of ${mailbox.id}`}
        confirmLabel="Reset password"
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

/** Has a person choose a new password, after a question, or takes that back. */
function RequirePasswordChange({ mailbox }: { mailbox: MailboxDetail }) {
  const update = useUpdateMailbox(mailbox.id);
  const [isOpen, dialog] = useDisclosure();
  const isDue = mailbox.force_password_change;

  function handleClick() {
    if (update.isPending) return;
    update.reset();
    if (isDue) update.mutate({ force_password_change: false });
    else dialog.open();
  }

  return (
    <>
      <Button variant="default" aria-busy={!isOpen && update.isPending} onClick={handleClick}>
        {isDue ? "Do not require a new one" : "Require a new password"}
      </Button>
      {isDue && <FormError error={update.error} />}
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Require a new password of ${mailbox.id}`}
        confirmLabel="Require a new password"
        isHarmless
        isPending={update.isPending}
        error={update.error}
        onConfirm={() =>
          update.mutate({ force_password_change: true }, { onSuccess: dialog.close })
        }
      >
        The person is signed out of all mail apps at once. They sign in at their account page with
        the password they have, and choose another one there.
      </ConfirmDialog>
    </>
  );
}
