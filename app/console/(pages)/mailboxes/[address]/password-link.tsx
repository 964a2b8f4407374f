"use client";

import { Button, Text, TextInput } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useQuery } from "@tanstack/react-query";

import type { MailboxDetail } from "#app/console/(pages)/mailboxes/queries.ts";
import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Modal } from "#app/console/ui/dialog.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { type Access, accessQuery, useResendPasswordLink } from "./access-queries.ts";

type Link = Access["passwordLink"];

/** Emails a link to set the password, for mailbox users who haven't set one. */
export function SendPasswordLink({ mailbox }: { mailbox: MailboxDetail }) {
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
export function PasswordLinkStatus({ mailbox }: { mailbox: MailboxDetail }) {
  const link = useQuery(accessQuery(mailbox.id)).data?.passwordLink;
  if (!link) return null;
  return (
    <Text mb="md">
      A link to set the password was emailed{link.sentTo !== null && ` to ${link.sentTo}`}. It
      expires <RelativeTime at={link.expiresAt} />.
    </Text>
  );
}

function PasswordLinkForm({
  mailbox,
  link,
  onClose,
}: {
  mailbox: MailboxDetail;
  link: Link;
  onClose: () => void;
}) {
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
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose}>
          Send link
        </DialogActions>
      }
    >
      <TextInput
        {...form.field("to")}
        description={`An address that the mailbox user can read already. The link works once and expires after 7 days.${link ? " The earlier link stops working." : ""}`}
        type="email"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        data-autofocus
      />
    </Form>
  );
}
