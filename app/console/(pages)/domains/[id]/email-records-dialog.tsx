"use client";

import { Text, TextInput } from "@mantine/core";

import { type DomainDetail, emailRecordsTo } from "#app/console/(pages)/domains/queries.ts";
import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Modal } from "#app/console/ui/dialog.tsx";
import { toast } from "#app/console/ui/actions.tsx";

type Props = { domain: DomainDetail; onClose: () => void };

export function EmailRecordsDialog({ isOpen, ...props }: Props & { isOpen: boolean }) {
  return (
    <Modal opened={isOpen} onClose={props.onClose} title="Email records">
      <EmailRecordsForm {...props} />
    </Modal>
  );
}

function EmailRecordsForm({ domain, onClose }: Props) {
  const form = useForm({
    initialValues: { to: "" },
    labels: { to: "Email address" },
    checks: { to: required },
    draft: `email-records ${domain.id}`,
    send: ({ to }) => emailRecordsTo(domain.id, to),
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
        manages its DNS. Their reply comes to you.
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
