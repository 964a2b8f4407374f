"use client";

import { Button, Group, Stack, TextInput } from "@mantine/core";
import { useRouter } from "next/navigation";
import type { SubmitEvent } from "react";

import { ConsoleError } from "#app/console/console-client.ts";
import { FormProblem, problemOfField } from "#app/console/ui/form-problem.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { textOf } from "#app/console/ui/text-of.ts";

import { useAddDomain } from "./queries.ts";

export function AddDomainDialog({ isOpen, onClose }: { isOpen: boolean; onClose: () => void }) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Add a domain">
      <AddDomainForm onClose={onClose} />
    </Modal>
  );
}

function AddDomainForm({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const addDomain = useAddDomain();
  const problem = problemOfName(addDomain.error);
  const isBusy = addDomain.isPending || addDomain.isSuccess;

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    if (isBusy) return;
    addDomain.mutate(textOf(new FormData(event.currentTarget), "name"), {
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
          description="What stands behind the @. A subdomain such as mail.northwind.com keeps its mail apart from the rest."
          error={problem}
          inputMode="url"
          autoComplete="off"
          autoCapitalize="off"
          spellCheck={false}
          required
          withAsterisk={false}
          data-autofocus
        />
        {!problem && <FormProblem error={addDomain.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" aria-busy={isBusy}>
            Add domain
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** Whatever the service has against a name is told beside the name. */
function problemOfName(error: Error | null): string | null {
  if (!(error instanceof ConsoleError)) return null;
  const isOfField = ["validation_error", "missing_required_field"].includes(error.reason);
  return problemOfField(error, "name", "Domain name") ?? (isOfField ? `${error.message}.` : null);
}
