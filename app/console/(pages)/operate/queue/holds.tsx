import { Anchor, Button, type ButtonProps, Text, TextInput } from "@mantine/core";
import Link from "next/link";
import { useState } from "react";

import { OPERATED } from "#app/console/(pages)/operate/companies/queries.ts";
import { change } from "#app/console/console-client.ts";
import { toast, useAction, useChange } from "#app/console/ui/actions.tsx";
import { ItemList, ItemRow } from "#app/console/ui/details.tsx";
import { DangerousAction, Modal } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { VERBATIM } from "#app/console/ui/form/verbatim.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import { type Hold, mailOf, queueUrl, type QueuedBy } from "./queries.ts";

type NamedSubject = QueuedBy & { name: string };

type HoldDialogProps = { isOpen: boolean; onClose: () => void; subject?: NamedSubject };

export function HoldDialog({ isOpen, onClose, subject }: HoldDialogProps) {
  const title = subject ? `Hold mail ${mailOf(subject)}` : "Hold mail to a domain";
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <HoldForm subject={subject} onClose={onClose} />
    </Modal>
  );
}

type HoldFormProps = { subject: NamedSubject | undefined; onClose: () => void };

function HoldForm({ subject, onClose }: HoldFormProps) {
  const hold = useChange("queue.holdMail", { invalidates: OPERATED });
  const { kind, subject: id } = subject ?? { kind: "destination" as const, subject: "" };
  const form = useForm({
    initialValues: { subject: id, reason: "" },
    labels: { subject: "Recipient domain", reason: "Reason" },
    checks: { subject: required },
    draft: null,
    send: (fields) => hold.run({ body: { kind, ...fields } }),
    onDone(held) {
      onClose();
      toast(`Mail ${mailOf(subject ?? { kind, name: held.subject })} is on hold`);
    },
  });

  return (
    <Form form={form} submit="Hold mail" onClose={onClose}>
      <Text>
        Posthouse stops delivery attempts within two seconds. Mail on hold doesn’t expire. When you
        release it, Posthouse sends it immediately, with the full retry period. Deliveries in
        progress may still complete.
      </Text>
      {!subject && (
        <TextInput
          {...form.field("subject")}
          placeholder="example.net"
          {...VERBATIM}
          data-autofocus
        />
      )}
      <TextInput
        {...form.field("reason")}
        label="Reason (optional)"
        description="Visible to other operators."
        autoComplete="off"
        {...(subject && { "data-autofocus": true })}
      />
    </Form>
  );
}

export function HoldList({ holds }: { holds: Hold[] }) {
  if (holds.length === 0) return null;
  return (
    <Panel title="On hold">
      <ItemList label="Mail on hold">
        {holds.map((hold) => (
          <ItemRow
            key={`${hold.kind} ${hold.subject}`}
            title={
              <Anchor component={Link} href={queueUrl(hold)}>
                Mail {mailOf(hold)}
              </Anchor>
            }
            actions={!hold.isSuspension && <ReleaseButton hold={hold} />}
          >
            {hold.reason && `${hold.reason} · `}
            {!hold.isSuspension && `${hold.heldBy} · `}
            <RelativeTime at={hold.createdAt} />
          </ItemRow>
        ))}
      </ItemList>
    </Panel>
  );
}

export function ReleaseButton({ hold }: { hold: Hold }) {
  const { kind, subject, reason } = hold;
  const release = useChange("queue.releaseMail", {
    invalidates: OPERATED,
    success: `Mail ${mailOf(hold)} released`,
    undo: () => change("queue.holdMail", { body: { kind, subject, reason } }),
  });
  return (
    <Button
      variant="default"
      aria-label={`Release mail ${mailOf(hold)}`}
      aria-busy={release.isPending}
      onClick={() => release.start({ body: { kind, subject } })}
    >
      Release
    </Button>
  );
}

type DropMailProps = { subject: QueuedBy; name: string; count: number };

export function DropMail({ subject, name, count }: DropMailProps) {
  const [dropped, setDropped] = useState(0);
  const drop = useAction({
    call: () => dropAll(subject, setDropped),
    invalidates: OPERATED,
    success: (total) => `Mail dropped for ${pluralize(total, "recipient")}`,
  });
  return (
    <DangerousAction
      title="Drop mail on hold"
      action="Drop mail"
      description="The mail won’t be delivered. Emails get a failed event, which webhooks and logs show. Senders of other mail get a bounce message. This can’t be undone."
      question={`Drop mail ${mailOf({ kind: subject.kind, name })}?`}
      typeToConfirm={name}
      onConfirm={() => drop.run()}
    >
      <Text>
        {pluralize(count, "recipient")} won’t receive mail that Posthouse has already accepted.
      </Text>
      {drop.isPending && (
        <Text role="status">Dropping… {pluralize(dropped, "recipient")} so far</Text>
      )}
    </DangerousAction>
  );
}

/** Drops mail in batches until none is left. */
async function dropAll(body: QueuedBy, onProgress: (dropped: number) => void): Promise<number> {
  let total = 0;
  for (;;) {
    const { dropped, isDone } = await change("queue.dropMail", { body });
    total += dropped;
    onProgress(total);
    if (isDone) return total;
  }
}

type RetryButtonProps = { subject: QueuedBy; name: string; size?: ButtonProps["size"] };

export function RetryButton({ subject, name, size = "sm" }: RetryButtonProps) {
  const retry = useChange("queue.retryMail", {
    invalidates: OPERATED,
    success: ({ recipients }) =>
      recipients === 0
        ? "No mail is waiting for a retry"
        : `Retrying mail for ${pluralize(recipients, "recipient")}`,
  });
  return (
    <Button
      size={size}
      variant="default"
      aria-label={`Retry now: ${name}`}
      aria-busy={retry.isPending}
      onClick={() => retry.start({ body: subject })}
    >
      Retry now
    </Button>
  );
}
