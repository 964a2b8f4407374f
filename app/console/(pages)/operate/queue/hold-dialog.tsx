"use client";

import { Text, TextInput } from "@mantine/core";

import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Modal } from "#app/console/ui/dialog.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { type Subject, useHoldMail } from "./queries.ts";

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
