"use client";

import { Button, Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import type { ReactNode } from "react";

import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";

import classes from "./held-mailbox.module.css";
import { counted } from "./held-words.ts";
import { type HeldMailbox, useContain, useRelease } from "./queries.ts";

/** The two ways out, for the person asked whether the messages are theirs. */
export function Acts({
  held,
  onContained,
}: {
  held: HeldMailbox;
  onContained: (temporaryPassword: string) => void;
}) {
  return (
    <div className={classes.acts}>
      <Release held={held} />
      <Contain held={held} onContained={onContained} />
    </div>
  );
}

function Act({ who, words, children }: { who: string; words: string; children: ReactNode }) {
  return (
    <div className={classes.act}>
      <div>
        <Text fw={600}>{who}</Text>
        <Text size="sm" c="dimmed">
          {words}
        </Text>
      </div>
      {children}
    </div>
  );
}

function Release({ held: { mailbox, messages, recipients } }: { held: HeldMailbox }) {
  const release = useRelease(mailbox);
  const [isOpen, dialog] = useDisclosure();
  return (
    <Act
      who="The person sent them"
      words="Let them go. The mailbox may then write to these people, and from this network, like before."
    >
      <Button variant="default" onClick={dialog.open}>
        Release the mail
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Release the mail of ${mailbox}`}
        verb="Release the mail"
        isHarmless
        isPending={release.isPending}
        error={release.error}
        onConfirm={() => release.mutate(undefined, { onSuccess: dialog.close })}
      >
        {counted(messages, "message")} to {counted(recipients, "recipient")}{" "}
        {messages === 1 ? "leaves" : "leave"} at once, and nothing more is held. Have you asked the
        person, by another way than email?
      </ConfirmDialog>
    </Act>
  );
}

function Contain({
  held: { mailbox, messages },
  onContained,
}: {
  held: HeldMailbox;
  onContained: (temporaryPassword: string) => void;
}) {
  const contain = useContain(mailbox);
  const [isOpen, dialog] = useDisclosure();
  return (
    <Act
      who="Somebody else sent them"
      words="Shut them out. The password is replaced, app passwords are removed, every session ends, and what is held is thrown away."
    >
      <Button variant="default" c="var(--mantine-color-error)" onClick={dialog.open}>
        Contain the mailbox
      </Button>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Contain ${mailbox}`}
        verb="Contain the mailbox"
        isPending={contain.isPending}
        error={contain.error}
        onConfirm={() =>
          contain.mutate(undefined, {
            onSuccess: ({ temporary_password }) => onContained(temporary_password),
          })
        }
      >
        {counted(messages, "message")} {messages === 1 ? "is" : "are"} thrown away for good. The old
        password and all app passwords stop working, and mail apps are signed out. You get a
        temporary password to hand over. Mail that arrives for the person is kept as ever.
      </ConfirmDialog>
    </Act>
  );
}
