"use client";

import { Box, Button, Checkbox, Group, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";

import {
  type MailboxDetail,
  useResetPassword,
  useUpdateMailbox,
} from "#app/console/(pages)/mailboxes/queries.ts";
import { TemporaryPassword } from "#app/console/(pages)/mailboxes/temporary-password.tsx";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { useOpenOnParam } from "#app/console/ui/url-search.ts";

import { PasswordLinkStatus, SendPasswordLink } from "./password-link.tsx";

function passwordState({
  forcePasswordChange: isDue,
  signsInWithProvider: usesProvider,
  acceptsPassword: isAccepted,
}: MailboxDetail): string {
  if (!isAccepted)
    return "Your company requires single sign-on, so the mailbox password can’t be used.";
  if (usesProvider)
    return "The mailbox user can sign in with single sign-on, so app passwords work even while the mailbox password is temporary.";
  return isDue
    ? "Mail apps can’t sign in until the mailbox user sets a new password on their account page."
    : "If the mailbox user forgot their password, reset it to a temporary one. Their app passwords are deleted unless you keep them.";
}

export function ResetMailboxPassword({ mailbox }: { mailbox: MailboxDetail }) {
  const reset = useResetPassword(mailbox.id);
  const [isOpen, dialog] = useDisclosure();
  const [keepsAppPasswords, setKeepsAppPasswords] = useState(false);
  const isAccepted = mailbox.acceptsPassword;
  useOpenOnParam(["do", "reset-password"], isAccepted, dialog.open);

  const state = <Text c="dimmed">{passwordState(mailbox)}</Text>;
  if (!isAccepted) return <Panel title="Password">{state}</Panel>;
  return (
    <Panel title="Password">
      <Box mb="md">{state}</Box>
      <PasswordLinkStatus mailbox={mailbox} />
      <Group gap="xs">
        <Button variant="default" onClick={dialog.open}>
          Reset password
        </Button>
        <SendPasswordLink mailbox={mailbox} />
        <RequirePasswordChange mailbox={mailbox} />
      </Group>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Reset password for ${mailbox.id}?`}
        confirmLabel="Reset password"
        onConfirm={() => reset.mutateAsync({ keepAppPasswords: keepsAppPasswords })}
      >
        <Text>
          The current password stops working immediately, and mail apps are signed out. You get a
          temporary password to give to the mailbox user.
        </Text>
        <Checkbox
          mt="md"
          size="md"
          label="Keep app passwords"
          description="Mail apps can use them again after the mailbox user has set a new password. Delete them if someone else may know one."
          checked={keepsAppPasswords}
          onChange={({ currentTarget }) => setKeepsAppPasswords(currentTarget.checked)}
        />
      </ConfirmDialog>
      {reset.data && (
        <TemporaryPassword
          address={mailbox.id}
          password={reset.data.temporaryPassword}
          onStored={reset.reset}
        />
      )}
    </Panel>
  );
}

function RequirePasswordChange({ mailbox }: { mailbox: MailboxDetail }) {
  const update = useUpdateMailbox(mailbox.id);
  const [isOpen, dialog] = useDisclosure();
  const isDue = mailbox.forcePasswordChange;

  function handleClick() {
    if (isDue) update.start({ forcePasswordChange: false });
    else dialog.open();
  }

  return (
    <>
      <Button variant="default" aria-busy={!isOpen && update.isPending} onClick={handleClick}>
        {isDue ? "Cancel password change" : "Require password change"}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Require ${mailbox.id} to change their password?`}
        confirmLabel="Require password change"
        isHarmless
        onConfirm={() => update.run({ forcePasswordChange: true })}
      >
        The mailbox user is signed out of all mail apps immediately. They sign in to their account
        page with their current password and set a new one.
      </ConfirmDialog>
    </>
  );
}
