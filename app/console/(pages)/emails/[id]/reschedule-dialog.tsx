"use client";

import { TextInput } from "@mantine/core";

import { type EmailDetail, queriesOfEmail } from "#app/console/(pages)/emails/queries.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import {
  fromDateTimeLocal,
  readerTimeZone,
  toDateTimeLocal,
} from "#app/console/ui/datetime-local.ts";
import { Modal } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

type DialogProps = { email: EmailDetail; onClose: () => void };

export function RescheduleEmailDialog(props: DialogProps) {
  return (
    <Modal opened onClose={props.onClose} title="Reschedule email">
      <RescheduleForm {...props} />
    </Modal>
  );
}

function RescheduleForm({ email, onClose }: DialogProps) {
  const reschedule = useChange("emails.reschedule", {
    invalidates: queriesOfEmail(email.id),
    success: "Email rescheduled",
  });
  const form = useForm({
    initialValues: {
      scheduledAt: toDateTimeLocal(email.scheduledAt ?? email.createdAt),
    },
    labels: { scheduledAt: "Send time" },
    checks: { scheduledAt: required },
    draft: null,
    send: ({ scheduledAt }) =>
      reschedule.run({
        params: { id: email.id },
        body: { scheduledAt: fromDateTimeLocal(scheduledAt) },
      }),
    onDone: onClose,
  });

  return (
    <Form
      form={form}
      actions={
        <DialogActions form={form} onClose={onClose}>
          Reschedule email
        </DialogActions>
      }
    >
      <TextInput
        {...form.field("scheduledAt")}
        type="datetime-local"
        description={`In your time zone (${readerTimeZone()}), up to 30 days from now.`}
        data-autofocus
      />
    </Form>
  );
}
