"use client";

import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useRouter } from "next/navigation";
import type { SubmitEvent } from "react";

import { ConsoleError } from "#app/console/console-client.ts";
import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { formText } from "#app/console/ui/form-text.ts";

import { useCreateDomain } from "./queries.ts";

export function CreateDomainDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Create domain">
      <CreateDomainForm onClose={onClose} />
    </Modal>
  );
}

function CreateDomainForm({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const creation = useCreateDomain();
  const problem = nameError(creation.error);
  const isBusy = creation.isPending || creation.isSuccess;

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy) return;
    creation.mutate(formText(new FormData(event.currentTarget), "name"), {
      onSuccess: ({ id }) => router.push(`/console/domains/${id}`),
    });
  }

  return (
    <form onSubmit={handleSubmit} method="post">
      <Stack gap="md">
        <TextInput
          name="name"
          label="Domain name"
          placeholder="northwind.com"
          description="The part after the @. A subdomain such as mail.northwind.com keeps its sending reputation separate."
          error={problem}
          inputMode="url"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          required
          withAsterisk={false}
          data-autofocus
        />
        {!problem && <FormError error={creation.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" aria-busy={isBusy}>
            Create domain
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Every validation error concerns the name, the form's only field. */
function nameError(error: Error | null): string | null {
  if (!(error instanceof ConsoleError)) return null;
  const isValidation = ["validation_error", "missing_required_field"].includes(error.reason);
  return fieldError(error, "name", "Domain name") ?? (isValidation ? `${error.message}.` : null);
}
