"use client";

import { Text, TextInput } from "@mantine/core";
import { useRouter } from "next/navigation";

import { toast, useChange } from "#app/console/ui/actions.tsx";
import { Modal } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { VERBATIM } from "#app/console/ui/form/verbatim.ts";

import type { DomainDetail } from "./queries.ts";

export function CreateDomainDialog({ onClose }: { onClose: () => void }) {
  return (
    <Modal opened onClose={onClose} title="Create domain">
      <CreateDomainForm onClose={onClose} />
    </Modal>
  );
}

function CreateDomainForm({ onClose }: { onClose: () => void }) {
  const router = useRouter();
  const creation = useChange("domains.create", { invalidates: ["domains.list"] });
  const form = useForm({
    initialValues: { name: "" },
    labels: { name: "Domain name" },
    checks: { name: required },
    draft: "new-domain",
    send: ({ name }) => creation.run({ body: { name } }),
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
        {...VERBATIM}
        data-autofocus
      />
    </Form>
  );
}

type EmailRecordsProps = { domain: DomainDetail; onClose: () => void };

/** Asks for the address of the person who manages the DNS. */
export function EmailRecordsDialog(props: EmailRecordsProps) {
  return (
    <Modal opened onClose={props.onClose} title="Email records">
      <EmailRecordsForm {...props} />
    </Modal>
  );
}

function EmailRecordsForm({ domain, onClose }: EmailRecordsProps) {
  const emailing = useChange("dns.emailRecords");
  const form = useForm({
    initialValues: { to: "" },
    labels: { to: "Email address" },
    checks: { to: required },
    draft: `email-records ${domain.id}`,
    send: ({ to }) => emailing.run({ params: { id: domain.id }, body: { to } }),
    onDone: (_, { to }) => {
      toast(`Emailed the records to ${to}`);
      onClose();
    },
  });
  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose} pendingLabel="Sending…">
          Email records
        </DialogActions>
      }
    >
      <Text>
        Sends the records of {domain.name} with instructions and a zone file to the person who
        manages its DNS. Replies go to you.
      </Text>
      <TextInput
        {...form.field("to")}
        type="email"
        autoComplete="off"
        placeholder="it@northwind.com"
        data-autofocus
      />
    </Form>
  );
}
