"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import type { SubmitEvent } from "react";

import {
  type CompanyDetail,
  useUpdateCompany,
} from "#app/console/(pages)/operate/companies/queries.ts";
import { FormError, fieldError } from "#app/console/ui/form-error.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { formText } from "#app/console/ui/form-text.ts";

export function InvoiceDialog({
  company,
  isOpen,
  onClose,
}: {
  company: CompanyDetail;
  isOpen: boolean;
  onClose: () => void;
}) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Mark invoice as overdue">
      <InvoiceForm company={company} onClose={onClose} />
    </Modal>
  );
}

function InvoiceForm({ company, onClose }: { company: CompanyDetail; onClose: () => void }) {
  const update = useUpdateCompany(company.id);
  const problems = {
    number: fieldError(update.error, "number", "Number"),
    payment_url: fieldError(update.error, "payment_url", "Payment URL"),
  };

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const form = new FormData(event.currentTarget);
    const invoice = {
      number: formText(form, "number"),
      payment_url: formText(form, "payment_url"),
    };
    update.mutate({ overdue_invoice: invoice }, { onSuccess: onClose });
  }

  return (
    <form onSubmit={handleSubmit} method="post" noValidate>
      <Stack gap="md">
        <Text>
          API requests from {company.name} will fail with an error that includes the invoice number
          and the payment URL.
        </Text>
        <TextInput
          name="number"
          label="Invoice number"
          autoComplete="off"
          data-autofocus
          error={problems.number}
        />
        <TextInput
          name="payment_url"
          label="Payment URL"
          placeholder="https://"
          type="url"
          autoComplete="off"
          error={problems.payment_url}
        />
        {!problems.number && !problems.payment_url && <FormError error={update.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Cancel
          </Button>
          <Button type="submit" color="red.8" aria-busy={update.isPending}>
            Mark as overdue
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
