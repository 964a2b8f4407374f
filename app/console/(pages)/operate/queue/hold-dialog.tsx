"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import type { SubmitEvent } from "react";

import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { formText } from "#app/console/ui/form-text.ts";
import { toast } from "#app/console/ui/toast.tsx";

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
  const problem = fieldError(hold.error, "reason", "Reason");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const target = subject ?? { kind: "destination" as const, subject: formText(form, "domain") };
    hold.mutate(
      { kind: target.kind, subject: target.subject, reason: formText(form, "reason") },
      {
        onSuccess(held) {
          onClose();
          toast(
            `Mail ${held.kind === "company" ? "from" : "to"} ${subject?.name ?? held.subject} is on hold`,
          );
        },
      },
    );
  }

  return (
    <form onSubmit={handleSubmit} method="post" noValidate>
      <Stack gap="md">
        <Text>
          Posthouse stops delivery attempts within two seconds. Mail on hold doesn’t expire. When
          you release it, it’s sent immediately, and retried as long as new mail. Deliveries in
          progress may still complete.
        </Text>
        {!subject && (
          <TextInput
            name="domain"
            label="Recipient domain"
            placeholder="example.net"
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            data-autofocus
          />
        )}
        <TextInput
          name="reason"
          label="Reason (optional)"
          description="Visible to other operators."
          autoComplete="off"
          error={problem}
          {...(subject && { "data-autofocus": true })}
        />
        {!problem && <FormError error={hold.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" aria-busy={hold.isPending}>
            Hold mail
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
