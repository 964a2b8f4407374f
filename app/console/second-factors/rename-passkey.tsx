"use client";

import { TextInput } from "@mantine/core";

import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Modal } from "#app/console/ui/dialog.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { type Passkey, useRenamePasskey } from "./queries.ts";

export function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const rename = useRenamePasskey();
  const form = useForm({
    initialValues: { name: passkey.name },
    labels: { name: "Name" },
    checks: { name: required },
    draft: null,
    send: ({ name }) => rename.mutateAsync({ id: passkey.id, name }),
    onDone() {
      onClose();
      toast("Passkey renamed");
    },
  });

  return (
    <Modal opened onClose={onClose} title={`Rename ${passkey.name}`}>
      <Form
        form={form}
        actions={
          <DialogActions form={form} onClose={onClose}>
            Rename passkey
          </DialogActions>
        }
      >
        <TextInput {...form.field("name")} maxLength={60} data-autofocus />
      </Form>
    </Modal>
  );
}
