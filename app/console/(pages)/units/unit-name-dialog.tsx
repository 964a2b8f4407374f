"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import type { ReactNode, SubmitEvent } from "react";

import { FormProblem, problemOfField, problemOfReason } from "#app/console/ui/form-problem.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { textOf } from "#app/console/ui/text-of.ts";

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
  const problem = problemOfField(error, "name", "Name") ?? problemOfReason(error, "already_exists");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (!isPending) onNamed(textOf(new FormData(event.currentTarget), "name"));
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
        {!problem && <FormProblem error={error} />}
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
