"use client";

import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";

import { ConfirmDialog } from "#app/console/ui/dialog.tsx";

import classes from "./mailbox-on-hold.module.css";
import { pluralize } from "#app/console/ui/format.ts";
import { type MailboxOnHold, useContainMailbox, useReleaseOnHold } from "./queries.ts";

/** The admin's decision: the mailbox user sent the messages, or someone else did. */
export function ReleaseOrContain({
  held,
  onContained,
}: {
  held: MailboxOnHold;
  onContained: (temporaryPassword: string) => void;
}) {
  return (
    <div className={classes.options}>
      <ReleaseMessages held={held} />
      <ContainMailbox held={held} onContained={onContained} />
    </div>
  );
}

function DecisionOption({
  title,
  description,
  children,
}: {
  title: string;
  description: string;
  children: ReactNode;
}) {
  return (
    <div className={classes.option}>
      <div>
        <Text fw={600}>{title}</Text>
        <Text size="sm" c="dimmed">
          {description}
        </Text>
      </div>
      {children}
    </div>
  );
}

function ReleaseMessages({ held: { mailbox, messages, recipients } }: { held: MailboxOnHold }) {
  const release = useReleaseOnHold(mailbox);
  const [isOpen, dialog] = useDisclosure();
  return (
    <DecisionOption
      title="The mailbox user sent them"
      description="Release the messages. Posthouse then trusts these recipients and this network for the mailbox."
    >
      <Button variant="default" onClick={dialog.open}>
        Release messages
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Release messages from ${mailbox}?`}
        confirmLabel="Release messages"
        isHarmless
        onConfirm={() => release.mutateAsync()}
      >
        Posthouse sends {pluralize(messages, "message")} to {pluralize(recipients, "recipient")} now
        and stops holding mail from this mailbox. Before you release, confirm with the mailbox user
        in person or by phone, not by email.
      </ConfirmDialog>
    </DecisionOption>
  );
}

function ContainMailbox({
  held: { mailbox, messages },
  onContained,
}: {
  held: MailboxOnHold;
  onContained: (temporaryPassword: string) => void;
}) {
  const contain = useContainMailbox(mailbox);
  const [isOpen, dialog] = useDisclosure();
  return (
    <DecisionOption
      title="Someone else sent them"
      description="Secure the mailbox. This resets the password, revokes app passwords, signs out all sessions, and deletes the messages on hold."
    >
      <Button variant="default" c="var(--mantine-color-error)" onClick={dialog.open}>
        Secure mailbox
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Secure ${mailbox}?`}
        confirmLabel="Secure mailbox"
        onConfirm={async () => {
          const { temporaryPassword } = await contain.mutateAsync();
          onContained(temporaryPassword);
        }}
      >
        This permanently deletes {pluralize(messages, "message")} on hold. The current password and
        all app passwords stop working, and mail apps are signed out. You get a temporary password
        to give to the mailbox user. Incoming mail isn’t affected.
      </ConfirmDialog>
    </DecisionOption>
  );
}
