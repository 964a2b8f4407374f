import { Text, TextInput } from "@mantine/core";
import { useRouter } from "next/navigation";

import { toast, useChange } from "#app/console/ui/actions.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { FormDialog } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { VERBATIM } from "#app/console/ui/form/verbatim.ts";

import type { DomainDetail } from "./queries.ts";

export function CreateDomainDialog({ onClose }: { onClose: () => void }) {
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
    <FormDialog form={form} title="Create domain" submit="Create domain" onClose={onClose}>
      <TextInput
        {...form.field("name")}
        placeholder="northwind.com"
        description="The part after the @. A subdomain such as mail.northwind.com keeps its sending reputation separate."
        inputMode="url"
        {...VERBATIM}
        data-autofocus
      />
    </FormDialog>
  );
}

type EmailRecordsProps = { domain: DomainDetail; onClose: () => void };

/** Asks for the address of the person who manages the DNS. */
export function EmailRecordsDialog({ domain, onClose }: EmailRecordsProps) {
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
    <FormDialog
      form={form}
      title="Email records"
      submit="Email records"
      onClose={onClose}
      pendingLabel="Sending…"
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
    </FormDialog>
  );
}
