"use client";

import { Anchor, Button, type ButtonProps, Text, TextInput } from "@mantine/core";
import Link from "next/link";
import { useState } from "react";

import { toast } from "#app/console/ui/actions.tsx";
import { DangerousAction, Modal } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { Panel } from "#app/console/ui/panel.tsx";
import { RelativeTime } from "#app/console/ui/time.tsx";

import {
  type Hold,
  queueUrl,
  type Subject,
  useDropMail,
  useHoldMail,
  useReleaseMail,
  useRetryMail,
} from "./queries.ts";
import classes from "./queue.module.css";

type NamedSubject = Subject & { name: string };

export function HoldDialog({
  isOpen,
  onClose,
  subject,
}: {
  isOpen: boolean;
  onClose: () => void;
  subject?: NamedSubject;
}) {
  const title = subject
    ? `Hold mail ${subject.kind === "company" ? "from" : "to"} ${subject.name}`
    : "Hold mail to a domain";
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <HoldForm subject={subject} onClose={onClose} />
    </Modal>
  );
}

function HoldForm({
  subject,
  onClose,
}: {
  subject: NamedSubject | undefined;
  onClose: () => void;
}) {
  const hold = useHoldMail();
  const { kind, subject: id } = subject ?? { kind: "destination" as const, subject: "" };
  const form = useForm({
    initialValues: { subject: id, reason: "" },
    labels: { subject: "Recipient domain", reason: "Reason" },
    checks: { subject: required },
    draft: null,
    send: (fields) => hold.run({ kind, ...fields }),
    onDone(held) {
      onClose();
      const name = subject?.name ?? held.subject;
      toast(`Mail ${held.kind === "company" ? "from" : "to"} ${name} is on hold`);
    },
  });

  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose}>
          Hold mail
        </DialogActions>
      }
    >
      <Text>
        Posthouse stops delivery attempts within two seconds. Mail on hold doesn’t expire. When you
        release it, it’s sent immediately, and retried as long as new mail. Deliveries in progress
        may still complete.
      </Text>
      {!subject && (
        <TextInput
          {...form.field("subject")}
          placeholder="example.net"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
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
      <ul className={classes.holds}>
        {holds.map((hold) => (
          <li key={`${hold.kind} ${hold.subject}`} className={classes.hold}>
            <div>
              <Anchor component={Link} href={queueUrl(hold)}>
                {hold.kind === "company" ? `Mail from ${hold.name}` : `Mail to ${hold.name}`}
              </Anchor>
              <Text size="sm" c="dimmed">
                {hold.reason && `${hold.reason} · `}
                {!hold.isSuspension && `${hold.heldBy} · `}
                <RelativeTime at={hold.createdAt} />
              </Text>
            </div>
            {!hold.isSuspension && <ReleaseButton hold={hold} />}
          </li>
        ))}
      </ul>
    </Panel>
  );
}

export function ReleaseButton({ hold }: { hold: Hold }) {
  const release = useReleaseMail(hold);
  return (
    <Button
      variant="default"
      aria-label={`Release mail ${hold.kind === "company" ? "from" : "to"} ${hold.name}`}
      aria-busy={release.isPending}
      onClick={() => release.start()}
    >
      Release
    </Button>
  );
}

export function DropMail({
  subject,
  name,
  count,
}: {
  subject: Subject;
  name: string;
  count: number;
}) {
  const [dropped, setDropped] = useState(0);
  const drop = useDropMail(setDropped);
  return (
    <DangerousAction
      title="Drop mail on hold"
      action="Drop mail"
      description="The mail won’t be delivered. Emails get a failed event, which webhooks and logs show. Senders of other mail get a bounce message. This can’t be undone."
      question={`Drop mail ${subject.kind === "company" ? "from" : "to"} ${name}?`}
      typeToConfirm={name}
      onConfirm={async () => {
        const total = await drop.mutateAsync(subject);
        toast(`Mail dropped for ${pluralize(total, "recipient")}`);
      }}
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

export function RetryButton({
  subject,
  name,
  size = "sm",
}: {
  subject: Subject;
  name: string;
  size?: ButtonProps["size"];
}) {
  const retry = useRetryMail();
  return (
    <Button
      size={size}
      variant="default"
      aria-label={`Retry ${name} now`}
      aria-busy={retry.isPending}
      onClick={() => retry.start(subject)}
    >
      Retry now
    </Button>
  );
}
