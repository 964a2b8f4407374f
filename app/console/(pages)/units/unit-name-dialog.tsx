"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import type { ReactNode, SubmitEvent } from "react";

import { FormError, fieldError, errorForReason } from "#app/console/ui/form-error.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { formText } from "#app/console/ui/form-text.ts";

type UnitNameFormProps = {
  onClose: () => void;
  verb: string;
  name: string;
  isPending: boolean;
  error: Error | null;
  onNamed: (name: string) => void;
  children?: ReactNode;
};

export function UnitNameDialog({
  isOpen,
  title,
  ...form
}: { isOpen: boolean; title: string } & UnitNameFormProps) {
  return (
    <Modal opened={isOpen} onClose={form.onClose} title={title}>
      <UnitNameForm {...form} />
    </Modal>
  );
}

function UnitNameForm({
  onClose,
  verb,
  name,
  isPending,
  error,
  onNamed,
  children,
}: UnitNameFormProps) {
  const problem = fieldError(error, "name", "Name") ?? errorForReason(error, "already_exists");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!isPending) onNamed(formText(new FormData(event.currentTarget), "name"));
  }

  return (
    <form onSubmit={handleSubmit} method="post" noValidate>
      <Stack gap="md">
        {children && <Text c="dimmed">{children}</Text>}
        <TextInput
          name="name"
          label="Name"
          defaultValue={name}
          error={problem}
          maxLength={120}
          autoComplete="off"
          data-autofocus
        />
        {!problem && <FormError error={error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" aria-busy={isPending}>
            {verb}
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
