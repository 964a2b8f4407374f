"use client";

import { Button, Group, NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import { FormError } from "#app/console/ui/form-error.tsx";
import { formText } from "#app/console/ui/form-text.ts";
import { Modal } from "#app/console/ui/modal.tsx";
import { toast } from "#app/console/ui/toast.tsx";

import { type MailHost, useMoveMailbox } from "./mail-host-queries.ts";

type Props = {
  /** To choose from. */
  hosts: Pick<MailHost, "name" | "is_running">[];
  /** If missing, the form asks for it. */
  address?: string;
};

export function MoveMailboxDialog({
  isOpen,
  onClose,
  ...form
}: Props & { isOpen: boolean; onClose: () => void }) {
  const title = form.address ? `Move ${form.address}` : "Move mailbox";
  return (
    <Modal opened={isOpen} onClose={onClose} title={title}>
      <MoveMailboxForm onClose={onClose} {...form} />
    </Modal>
  );
}

function MoveMailboxForm({ hosts, address, onClose }: Props & { onClose: () => void }) {
  const move = useMoveMailbox();
  const [isAddressMissing, setIsAddressMissing] = useState(false);

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (move.isPending) return;
    const form = new FormData(event.currentTarget);
    const asked = { address: address ?? formText(form, "address"), host: formText(form, "host") };
    setIsAddressMissing(asked.address === "");
    if (asked.address === "") return;
    move.mutate(asked, {
      onSuccess({ id, move }) {
        onClose();
        toast(move ? `Moving ${id} to ${move.to}` : `${id} is on ${asked.host}`);
      },
    });
  }

  return (
    <form onSubmit={handleSubmit} method="post" noValidate>
      <Stack gap="md">
        <Text>
          The mailbox stays in use while its mail is copied. Then mail apps reconnect once.
          Messages, flags, folders and filters stay as they are.
        </Text>
        {address === undefined && (
          <TextInput
            name="address"
            label="Mailbox"
            placeholder="ann@example.com"
            error={isAddressMissing && "Enter a mailbox address"}
            autoComplete="off"
            autoCapitalize="off"
            spellCheck={false}
            data-autofocus
          />
        )}
        <NativeSelect
          name="host"
          label="Mail host"
          data={hosts.map(({ name, is_running: isRunning }) => ({
            value: name,
            label: isRunning ? name : `${name} (not responding)`,
          }))}
          {...(address !== undefined && { "data-autofocus": true })}
        />
        <FormError error={move.error} />
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" aria-busy={move.isPending}>
            Move mailbox
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
