import { Anchor, Button, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import Link from "next/link";
import type { ReactNode } from "react";

import type { AnswerOf } from "#app/console/console-client.ts";
import { usePrivileges } from "#app/console/session.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import { DescriptionList, ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { pluralize } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { Status } from "#app/console/ui/status.tsx";
import { ExactTime, RelativeTime } from "#app/console/ui/time.tsx";

export type MailboxOnHold = AnswerOf<"onHold.list">["data"][number];

/** Includes mailboxes, which show whether their mail is on hold. */
const CHANGED = ["onHold", "mailboxes", "mailboxAccess"] as const;

type MailboxOnHoldPanelProps = {
  held: MailboxOnHold;
  onContained: (temporaryPassword: string) => void;
};

export function MailboxOnHoldPanel({ held, onContained }: MailboxOnHoldPanelProps) {
  const mayView = usePrivileges().has("view_users");
  const { mailbox, name, messages, recipients, clientAddresses: from } = held;
  return (
    <Panel title={mailbox} aside={<Status tone="waiting" label="On hold" />}>
      <DescriptionList
        items={{
          "Mailbox user": mayView ? (
            <Anchor component={Link} href={`/console/mailboxes/${encodeURIComponent(mailbox)}`}>
              {name}
            </Anchor>
          ) : (
            name
          ),
          "On hold since": <ExactTime at={held.since} />,
          "Messages on hold": `${pluralize(messages, "message")} to ${pluralize(recipients, "recipient")}`,
          "Sent from":
            from.length > 0 ? (
              <Text span ff="monospace">
                {from.join(", ")}
              </Text>
            ) : (
              "Not recorded"
            ),
        }}
      />
      {held.sample.length > 0 && <MessageSample held={held} />}
      <ReleaseOrContain held={held} onContained={onContained} />
    </Panel>
  );
}

const MessageSample = ({ held: { sample, messages } }: { held: MailboxOnHold }) => (
  <>
    <Title order={3} mt="lg" mb="xs">
      {messages > sample.length ? "Latest messages" : "Messages"}
    </Title>
    <ItemList label="Messages on hold">
      {sample.map(({ subject, recipients, more, sentAt }, index) => (
        <ItemRow
          key={index}
          title={subject || "(no subject)"}
          actions={
            <Text size="sm" c="dimmed">
              <RelativeTime at={sentAt} />
            </Text>
          }
        >
          {recipients.join(", ")}
          {more > 0 && ` and ${pluralize(more, "other")}`}
        </ItemRow>
      ))}
    </ItemList>
  </>
);

type ReleaseOrContainProps = {
  held: MailboxOnHold;
  onContained: (temporaryPassword: string) => void;
};

/** The admin's decision: the mailbox user sent the messages, or someone else did. */
const ReleaseOrContain = ({ held, onContained }: ReleaseOrContainProps) => (
  <SimpleGrid cols={{ base: 1, sm: 2 }} spacing={{ base: "lg", sm: "xl" }} mt="lg">
    <ReleaseMessages held={held} />
    <ContainMailbox held={held} onContained={onContained} />
  </SimpleGrid>
);

type DecisionOptionProps = { title: string; description: string; children: ReactNode };

const DecisionOption = ({ title, description, children }: DecisionOptionProps) => (
  <Stack gap="sm" align="flex-start" justify="space-between">
    <div>
      <Text fw={600}>{title}</Text>
      <Text size="sm" c="dimmed">
        {description}
      </Text>
    </div>
    {children}
  </Stack>
);

function ReleaseMessages({ held: { mailbox, messages, recipients } }: { held: MailboxOnHold }) {
  const release = useChange("onHold.release", { invalidates: CHANGED });
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
        onConfirm={() => release.run({ params: { mailbox } })}
      >
        Posthouse sends {pluralize(messages, "message")} to {pluralize(recipients, "recipient")} now
        and stops holding mail from this mailbox. Before you release, confirm with the mailbox user
        in person or by phone, not by email.
      </ConfirmDialog>
    </DecisionOption>
  );
}

type ContainMailboxProps = {
  held: MailboxOnHold;
  onContained: (temporaryPassword: string) => void;
};

function ContainMailbox({ held: { mailbox, messages }, onContained }: ContainMailboxProps) {
  const contain = useChange("onHold.containMailbox", { invalidates: CHANGED });
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
          const { temporaryPassword } = await contain.run({ params: { mailbox } });
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
