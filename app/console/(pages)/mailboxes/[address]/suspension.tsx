"use client";

import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";

import { type MailboxDetail, useUpdateMailbox } from "#app/console/(pages)/mailboxes/queries.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { FormProblem } from "#app/console/ui/form-problem.tsx";
import { Panel } from "#app/console/ui/panel.tsx";

/** Shuts a person out for a time, and lets them in again. */
export function Suspension({ mailbox }: { mailbox: MailboxDetail }) {
  const update = useUpdateMailbox(mailbox.id);
  const [isOpen, dialog] = useDisclosure();
  if (!mailbox.active)
    return (
      <Panel title="Restore this mailbox">
        <Text c="dimmed" mb="md">
          It is suspended: mail still arrives, and nobody can sign in.
        </Text>
        <Button
          variant="default"
          loading={update.isPending}
          onClick={() => update.mutate({ active: true })}
        >
          Restore mailbox
        </Button>
        <FormProblem error={update.error} />
      </Panel>
    );
  return (
    <Panel title="Suspend this mailbox">
      <Text c="dimmed" mb="md">
        Nobody can sign in until you restore it. Mail still arrives, and nothing is lost.
      </Text>
      <Button variant="default" onClick={dialog.open}>
        Suspend mailbox
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Suspend ${mailbox.id}`}
        verb="Suspend mailbox"
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
