"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import { browserInWords } from "#app/console/ui/browser-words.ts";
import { FormProblem, problemOfField } from "#app/console/ui/form-problem.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { textOf } from "#app/console/ui/text-of.ts";
import { toast } from "#app/console/ui/toast.ts";

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
    toast("Passkey added.");
  }

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (add.isPending) return;
    const form = new FormData(event.currentTarget);
    add.mutate(
      { password: textOf(form, "password"), name: textOf(form, "name") },
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
            defaultValue={browserInWords(navigator.userAgent)}
            maxLength={60}
            error={problemOfField(add.error, "name", "Name")}
            required
            withAsterisk={false}
          />
          <PasswordField email={email} error={add.error} />
          <FormProblem error={formLevelError(add.error)} />
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
