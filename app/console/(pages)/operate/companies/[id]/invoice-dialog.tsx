"use client";

import { Text, TextInput } from "@mantine/core";

import {
  type CompanyDetail,
  useUpdateCompany,
} from "#app/console/(pages)/operate/companies/queries.ts";
import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { Modal } from "#app/console/ui/dialog.tsx";

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
  const form = useForm({
    initialValues: { number: "", paymentUrl: "" },
    labels: { number: "Invoice number", paymentUrl: "Payment URL" },
    checks: { number: required, paymentUrl: required },
    draft: null,
    send: (overdueInvoice) => update.mutateAsync({ overdueInvoice }),
    within: "overdueInvoice",
    onDone: onClose,
  });

  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose} isDangerous>
          Mark as overdue
        </DialogActions>
      }
    >
      <Text>
        API requests from {company.name} will fail with an error that includes the invoice number
        and the payment URL.
      </Text>
      <TextInput {...form.field("number")} autoComplete="off" data-autofocus />
      <TextInput
        {...form.field("paymentUrl")}
        placeholder="https://"
        type="url"
        autoComplete="off"
      />
    </Form>
  );
}
