"use client";

import { TextInput } from "@mantine/core";
import { useRouter } from "next/navigation";

import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Modal } from "#app/console/ui/dialog.tsx";

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
  const form = useForm({
    initialValues: { name: "" },
    labels: { name: "Domain name" },
    checks: { name: required },
    draft: "new-domain",
    send: ({ name }) => creation.mutateAsync(name),
    onDone: ({ id }) => router.push(`/console/domains/${id}`),
    leavesPage: true,
  });

  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose}>
          Create domain
        </DialogActions>
      }
    >
      <TextInput
        {...form.field("name")}
        placeholder="northwind.com"
        description="The part after the @. A subdomain such as mail.northwind.com keeps its sending reputation separate."
        inputMode="url"
        autoComplete="off"
        autoCapitalize="off"
        spellCheck={false}
        data-autofocus
      />
    </Form>
  );
}
