"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { type SubmitEvent, useState } from "react";

import { browserInWords } from "#app/console/ui/browser-words.ts";
import { FormProblem, problemOfField } from "#app/console/ui/form-problem.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { textOf } from "#app/console/ui/text-of.ts";
import { toast } from "#app/console/ui/toast.ts";

import { notOfAField, PasswordField } from "./password-field.tsx";
import { useAddPasskey, useFresh } from "./queries.ts";
import { RecoveryCodes } from "./recovery-codes.tsx";

/** Has the browser make a passkey, under a name that tells it from others. */
export function AddPasskey({ email, onClose }: { email: string; onClose: () => void }) {
  const add = useAddPasskey();
  const [codes, setCodes] = useState<string[] | null>(null);
  const fresh = useFresh();

  function finish() {
    onClose();
    void fresh();
    toast("The passkey was added.");
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

  if (codes) return <RecoveryCodes codes={codes} onStored={finish} />;
  return (
    <Modal opened onClose={onClose} title="Add a passkey">
      <form onSubmit={handleSubmit} method="post">
        <Stack gap="md">
          <Text>Your browser asks next which device or security key shall hold it.</Text>
          <TextInput
            name="name"
            label="Name"
            description="What you will know it by."
            defaultValue={browserInWords(navigator.userAgent)}
            maxLength={60}
            error={problemOfField(add.error, "name", "Name")}
            required
            withAsterisk={false}
          />
          <PasswordField email={email} error={add.error} />
          <FormProblem error={notOfAField(add.error)} />
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              Cancel
            </Button>
            <Button type="submit" aria-busy={add.isPending}>
              {add.isPending ? "Waiting for the browser" : "Add passkey"}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
