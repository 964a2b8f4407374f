"use client";

import { Button, Group, Stack, TextInput } from "@mantine/core";
import type { SubmitEvent } from "react";

import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { formText } from "#app/console/ui/form-text.ts";
import { toast } from "#app/console/ui/toast.tsx";

import { formLevelError } from "./password-field.tsx";
import { type Passkey, useRenamePasskey } from "./queries.ts";

export function RenamePasskey({ passkey, onClose }: { passkey: Passkey; onClose: () => void }) {
  const rename = useRenamePasskey();

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (rename.isPending) return;
    const name = formText(new FormData(event.currentTarget), "name");
    rename.mutate(
      { id: passkey.id, name },
      {
        onSuccess: () => {
          onClose();
          toast("Passkey renamed");
        },
      },
    );
  }

  return (
    <Modal opened onClose={onClose} title={`Rename ${passkey.name}`}>
      <form onSubmit={handleSubmit} method="post">
        <Stack gap="md">
          <TextInput
            name="name"
            label="Name"
            defaultValue={passkey.name}
            maxLength={60}
            error={fieldError(rename.error, "name", "Name")}
            required
            withAsterisk={false}
            data-autofocus
          />
          <FormError error={formLevelError(rename.error)} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" aria-busy={rename.isPending}>
              Rename passkey
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
