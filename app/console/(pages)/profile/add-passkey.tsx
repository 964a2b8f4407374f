"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import { describeUserAgent } from "#app/console/ui/user-agent.ts";
import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { formText } from "#app/console/ui/form-text.ts";
import { toast } from "#app/console/ui/toast.tsx";

import { formLevelError, PasswordField } from "./password-field.tsx";
import { useAddPasskey, useRefreshProfile } from "./queries.ts";
import { RecoveryCodesDialog } from "./recovery-codes-dialog.tsx";

export function AddPasskey({ email, onClose }: { email: string; onClose: () => void }) {
  const add = useAddPasskey();
  const [codes, setCodes] = useState<string[] | null>(null);
  const refresh = useRefreshProfile();

  function finish() {
    onClose();
    void refresh();
    toast("Passkey added");
  }

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (add.isPending) return;
    const form = new FormData(event.currentTarget);
    add.mutate(
      { password: formText(form, "password"), name: formText(form, "name") },
      { onSuccess: ({ recovery_codes }) => (recovery_codes ? setCodes(recovery_codes) : finish()) },
    );
  }

  if (codes) return <RecoveryCodesDialog codes={codes} onSaved={finish} />;
  return (
    <Modal opened onClose={onClose} title="Add a passkey">
      <form onSubmit={handleSubmit} method="post">
        <Stack gap="md">
          <Text>Your browser will ask where to save the passkey.</Text>
          <TextInput
            name="name"
            label="Name"
            description="Helps you tell your passkeys apart."
            defaultValue={describeUserAgent(navigator.userAgent)}
            maxLength={60}
            error={fieldError(add.error, "name", "Name")}
            required
            withAsterisk={false}
          />
          <PasswordField email={email} error={add.error} />
          <FormError error={formLevelError(add.error)} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" aria-busy={add.isPending}>
              {add.isPending ? "Waiting for browser…" : "Add passkey"}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
