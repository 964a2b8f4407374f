"use client";

import { Text, TextInput } from "@mantine/core";
import type { ReactNode } from "react";

import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Modal } from "#app/console/ui/dialog.tsx";

type UnitNameFormProps<Answer> = {
  onClose: () => void;
  verb: string;
  name: string;
  draft: string;
  send: (name: string) => Promise<Answer>;
  onDone?: (answer: Answer) => void;
  children?: ReactNode;
};

export function UnitNameDialog<Answer>({
  isOpen,
  title,
  ...form
}: { isOpen: boolean; title: string } & UnitNameFormProps<Answer>) {
  return (
    <Modal opened={isOpen} onClose={form.onClose} title={title}>
      <UnitNameForm {...form} />
    </Modal>
  );
}

function UnitNameForm<Answer>({
  onClose,
  verb,
  name,
  draft,
  send,
  onDone,
  children,
}: UnitNameFormProps<Answer>) {
  const form = useForm({
    initialValues: { name },
    labels: { name: "Name" },
    checks: { name: required },
    draft,
    send: ({ name }) => send(name),
    onDone(answer) {
      onClose();
      onDone?.(answer);
    },
  });

  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose}>
          {verb}
        </DialogActions>
      }
    >
      {children && <Text c="dimmed">{children}</Text>}
      <TextInput {...form.field("name")} maxLength={120} autoComplete="off" data-autofocus />
    </Form>
  );
}
