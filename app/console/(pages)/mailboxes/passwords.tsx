import { Box, Button, Checkbox, Group, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";
import { useState } from "react";

import { toast } from "#app/console/ui/actions.tsx";
import { ConfirmDialog, Modal, SecretDialog } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { VERBATIM } from "#app/console/ui/form/verbatim.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { useOpenOnParam } from "#app/console/ui/url-search.ts";

import {
  type Access,
  accessQuery,
  type MailboxDetail,
  useResendPasswordLink,
  useResetPassword,
  useUpdateMailbox,
} from "./queries.ts";
import { PrintWelcomeSheets } from "./welcome/welcome-sheets.tsx";

export const TemporaryPassword = ({
  address,
  password,
  onStored,
  onCreateAnother,
}: {
  address: string;
  password: string;
  onStored: () => void;
  onCreateAnother?: () => void;
}) => (
  <SecretDialog
    title={`Temporary password for ${address}`}
    secret={password}
    fileName={`${address}.txt`}
    onStored={onStored}
    extraActions={
      <>
        <PrintWelcomeSheets people={[{ address, password }]}>
          Print welcome sheet
        </PrintWelcomeSheets>
        {onCreateAnother && (
          <Button variant="default" ml="auto" onClick={onCreateAnother}>
            Saved, create another
          </Button>
        )}
      </>
    }
  >
    <Text>
      Give it to the mailbox user, ideally on a welcome sheet with setup instructions. They sign in
      with it at <strong>{`${window.location.origin}/account`}</strong> and set a new password.
      Until then, mail apps can’t sign in. You won’t be able to see it again.
    </Text>
  </SecretDialog>
);

type Link = Access["passwordLink"];

/** Emails a link to set the password, for mailbox users who haven't set one. */
function SendPasswordLink({ mailbox }: { mailbox: MailboxDetail }) {
  const access = useQuery(accessQuery(mailbox.id));
  const [isOpen, dialog] = useDisclosure();
  if (!mailbox.forcePasswordChange || !mailbox.active || !access.data) return null;
  const link = access.data.passwordLink;
  const title = link ? "Send link again" : "Email a link";
  return (
    <>
      <Button variant="default" onClick={dialog.open}>
        {title}
      </Button>
      <Modal opened={isOpen} onClose={dialog.close} title={title}>
        <PasswordLinkForm mailbox={mailbox} link={link} onClose={dialog.close} />
      </Modal>
    </>
  );
}

/** Says where the current link was sent, if there is one. */
function PasswordLinkStatus({ mailbox }: { mailbox: MailboxDetail }) {
  const link = useQuery(accessQuery(mailbox.id)).data?.passwordLink;
  if (!link) return null;
  return (
    <Text mb="md">
      A link to set the password was emailed{link.sentTo !== null && ` to ${link.sentTo}`}. It
      expires <RelativeTime at={link.expiresAt} />.
    </Text>
  );
}

type PasswordLinkFormProps = { mailbox: MailboxDetail; link: Link; onClose: () => void };

function PasswordLinkForm({ mailbox, link, onClose }: PasswordLinkFormProps) {
  const resend = useResendPasswordLink(mailbox.id);
  const form = useForm({
    initialValues: { to: link?.sentTo ?? "" },
    labels: { to: "Private address" },
    checks: { to: required },
    draft: `password-link ${mailbox.id}`,
    send: ({ to }) => resend(to),
    onDone: ({ sentTo: to }) => {
      toast(`Emailed a link to ${to}`);
      onClose();
    },
  });
  return (
    <Form form={form} submit="Send link" onClose={onClose}>
      <TextInput
        {...form.field("to")}
        description={`An address they can already access. The link works once and expires after 7 days.${link ? " The earlier link stops working." : ""}`}
        type="email"
        {...VERBATIM}
        data-autofocus
      />
    </Form>
  );
}

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
