import { TextInput } from "@mantine/core";

import { type EmailDetail, queriesOfEmail } from "#app/console/(pages)/emails/queries.ts";
import { useChange } from "#app/console/ui/actions.tsx";
import {
  fromDateTimeLocal,
  readerTimeZone,
  toDateTimeLocal,
} from "#app/console/ui/datetime-local.ts";
import { required } from "#app/console/ui/form/checks.ts";
import { FormDialog } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";

type DialogProps = { email: EmailDetail; onClose: () => void };

export function RescheduleEmailDialog({ email, onClose }: DialogProps) {
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
    <FormDialog form={form} title="Reschedule email" submit="Reschedule email" onClose={onClose}>
      <TextInput
        {...form.field("scheduledAt")}
        type="datetime-local"
        description={`In your time zone (${readerTimeZone()}), up to 30 days from now.`}
        data-autofocus
      />
    </FormDialog>
  );
}
