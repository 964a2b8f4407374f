"use client";

import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import { type MailboxDetail, useUpdateMailbox } from "#app/console/(pages)/mailboxes/queries.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { Panel } from "#app/console/ui/panel.tsx";
import { useOpenOnParam } from "#app/console/ui/url-search.ts";

const LABELS = {
  suspend: {
    title: "Suspend this mailbox",
    text: "Sign-in is blocked until you restore the mailbox. Mail still arrives, and nothing is deleted.",
    verb: "Suspend mailbox",
  },
  restore: {
    title: "Restore this mailbox",
    text: "This mailbox is suspended. Sign-in is blocked, but mail still arrives.",
    verb: "Restore mailbox",
  },
};

/** A single button for both actions keeps the focus. */
export function SuspendMailbox({ mailbox }: { mailbox: MailboxDetail }) {
  const update = useUpdateMailbox(mailbox.id);
  const [isOpen, dialog] = useDisclosure();
  const { active } = mailbox;
  useOpenOnParam(["do", "suspend"], active && mailbox.may.suspend, dialog.open);
  const words = active ? LABELS.suspend : LABELS.restore;

  function handleClick() {
    if (active) dialog.open();
    else update.start({ active: true });
  }

  return (
    <Panel title={words.title}>
      <Text c="dimmed" mb="md">
        {words.text}
      </Text>
      {/* Never disabled: that would lose the focus. */}
      <Button variant="default" aria-busy={update.isPending} onClick={handleClick}>
        {words.verb}
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Suspend ${mailbox.id}?`}
        confirmLabel="Suspend mailbox"
        isHarmless
        onConfirm={() => update.run({ active: false })}
      >
        The mailbox user is signed out of all mail apps immediately and can’t sign in. Mail still
        arrives.
      </ConfirmDialog>
    </Panel>
  );
}
