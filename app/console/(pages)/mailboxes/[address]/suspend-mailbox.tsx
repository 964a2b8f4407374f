"use client";

import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import { type MailboxDetail, useUpdateMailbox } from "#app/console/(pages)/mailboxes/queries.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { FormError } from "#app/console/ui/form-error.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

const LABELS = {
  suspend: {
    title: "Suspend this mailbox",
    text: "Nobody can sign in until you restore it. Mail still arrives, and nothing is lost.",
    verb: "Suspend mailbox",
  },
  restore: {
    title: "Restore this mailbox",
    text: "It is suspended: mail still arrives, and nobody can sign in.",
    verb: "Restore mailbox",
  },
};

/** Shuts a person out for a time, and lets them in again. One button: the focus stays on it. */
export function SuspendMailbox({ mailbox }: { mailbox: MailboxDetail }) {
  const update = useUpdateMailbox(mailbox.id);
  const [isOpen, dialog] = useDisclosure();
  const { active } = mailbox;
  const words = active ? LABELS.suspend : LABELS.restore;

  function handleClick() {
    if (update.isPending) return;
    update.reset();
    if (active) dialog.open();
    else update.mutate({ active: true });
  }

  return (
    <Panel title={words.title}>
      <Text c="dimmed" mb="md">
        {words.text}
      </Text>
      {/* Never off, not even while it is at work: that would take the focus from it. */}
      <Button variant="default" aria-busy={update.isPending} onClick={handleClick}>
        {words.verb}
      </Button>
      {!active && <FormError error={update.error} />}
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Suspend ${mailbox.id}`}
        confirmLabel="Suspend mailbox"
        isHarmless
        isPending={update.isPending}
        error={update.error}
        onConfirm={() => update.mutate({ active: false }, { onSuccess: dialog.close })}
      >
        The person is signed out of all mail apps at once and cannot sign in. Mail still arrives.
      </ConfirmDialog>
    </Panel>
  );
}
