"use client";

import { TextInput } from "@mantine/core";

import { required } from "./form/checks.ts";
import { DialogActions, Form } from "./form/form.tsx";
import { useForm } from "./form/use-form.ts";
import { Modal } from "./dialog.tsx";

type DialogProps = { onClose: () => void; onSave: (name: string) => void };

/** Asks for the name of a view. */
export function SaveViewDialog({ onClose, onSave }: DialogProps) {
  return (
    <Modal opened onClose={onClose} title="Save view">
      <SaveViewForm onClose={onClose} onSave={onSave} />
    </Modal>
  );
}

function SaveViewForm({ onClose, onSave }: DialogProps) {
  const form = useForm({
    initialValues: { name: "" },
    labels: { name: "Name" },
    checks: { name: required },
    draft: null,
    send: ({ name }) => Promise.resolve(name),
    onDone(name) {
      onSave(name);
      onClose();
    },
  });
  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose}>
          Save view
        </DialogActions>
      }
    >
      <TextInput
        {...form.field("name")}
        description="Saved in this browser. A view with the same name is replaced."
        maxLength={60}
        autoComplete="off"
        data-autofocus
      />
    </Form>
  );
}
