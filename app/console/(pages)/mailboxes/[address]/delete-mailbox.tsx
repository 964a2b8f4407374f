"use client";

import { useDisclosure } from "@mantine/hooks";
import { useRouter } from "next/navigation";

import { type MailboxDetail, useDeleteMailbox } from "#app/console/(pages)/mailboxes/queries.ts";
import { useRestorableUntil } from "#app/console/(pages)/deleted/restorable-until.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { DangerZone } from "#app/console/ui/panel.tsx";
import { formatBytes, pluralize } from "#app/console/ui/format.ts";

/** Shown to owners only. */
export function DeleteMailbox({ mailbox }: { mailbox: MailboxDetail }) {
  const router = useRouter();
  const deletion = useDeleteMailbox(mailbox.id);
  const [isOpen, dialog] = useDisclosure();
  const consequences = describeConsequences(mailbox);
  const restorable = useRestorableUntil();

  return (
    <>
      <DangerZone title="Delete this mailbox" actionLabel="Delete mailbox" onAction={dialog.open}>
        {consequences} {restorable} To block access and still receive mail, suspend the mailbox
        instead.
      </DangerZone>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Delete ${mailbox.id}?`}
        confirmLabel="Delete mailbox"
        typeToConfirm={mailbox.id}
        leavesPage
        onConfirm={async () => {
          await deletion.run();
          router.replace("/console/mailboxes");
        }}
      >
        {consequences} {restorable} Until then its addresses can’t be used for anything else.
      </ConfirmDialog>
    </>
  );
}

function describeConsequences({
  messages,
  usedBytes: bytes,
  aliases,
  groups,
}: MailboxDetail): string {
  return [
    messages === 0
      ? "The mailbox user is signed out everywhere."
      : `The mailbox user is signed out everywhere and loses access to ${pluralize(messages, "message")} (${formatBytes(bytes)}).`,
    aliases.length > 0 &&
      `Mail to it and its ${pluralize(aliases.length, "alias", "aliases")} will be rejected.`,
    aliases.length === 0 && "Mail to it will be rejected.",
    groups.length > 0 &&
      `Its address stays in ${pluralize(groups.length, "group", "groups")} until you remove it there.`,
  ]
    .filter(Boolean)
    .join(" ");
}
