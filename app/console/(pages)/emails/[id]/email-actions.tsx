"use client";

import { Button, Text, TextInput } from "@mantine/core";
import { IconCalendarTime, IconRefresh } from "@tabler/icons-react";
import { useRouter } from "next/navigation";
import { useState } from "react";

import {
  fromDateTimeLocal,
  readerTimeZone,
  toDateTimeLocal,
} from "#app/console/(pages)/emails/datetime-local.ts";
import type { EmailDetail } from "#app/console/(pages)/emails/queries.ts";
import { ConfirmDialog, Modal } from "#app/console/ui/dialog.tsx";
import { required } from "#app/console/ui/form/checks.ts";
import { DialogActions, Form } from "#app/console/ui/form/form.tsx";
import { useForm } from "#app/console/ui/form/use-form.ts";
import { toast } from "#app/console/ui/actions.tsx";

import { ResendSummary } from "./resend-summary.tsx";
import { useCancelEmail, useRescheduleEmail, useResendEmail } from "./use-email-actions.ts";

type OpenDialog = "resend" | "cancel" | "reschedule" | null;

/** The email's actions: reschedule and cancel while it's scheduled, resend afterward unless it's a test email. */
export function EmailActions({ email }: { email: EmailDetail }) {
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null);
  const close = () => setOpenDialog(null);
  const isScheduled = email.status === "scheduled";
  return (
    <>
      {isScheduled && (
        <>
          <Button
            variant="default"
            leftSection={<IconCalendarTime size={14} />}
            onClick={() => setOpenDialog("reschedule")}
          >
            Reschedule email
          </Button>
          <Button
            variant="default"
            c="var(--mantine-color-error)"
            onClick={() => setOpenDialog("cancel")}
          >
            Cancel email
          </Button>
        </>
      )}
      {!isScheduled && !email.isTest && email.content && (
        <Button
          variant="default"
          leftSection={<IconRefresh size={14} />}
          onClick={() => setOpenDialog("resend")}
        >
          Resend email
        </Button>
      )}
      <CancelEmailDialog email={email} isOpen={openDialog === "cancel"} onClose={close} />
      <RescheduleEmailDialog email={email} isOpen={openDialog === "reschedule"} onClose={close} />
      <ResendEmailDialog email={email} isOpen={openDialog === "resend"} onClose={close} />
    </>
  );
}

type DialogProps = { email: EmailDetail; isOpen: boolean; onClose: () => void };

function ResendEmailDialog({ email, isOpen, onClose }: DialogProps) {
  const router = useRouter();
  const resend = useResendEmail(email.id);
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Resend this email?"
      confirmLabel="Resend email"
      isHarmless
      onConfirm={async () => {
        const { id } = await resend.mutateAsync();
        toast("Email resent. This page shows the new copy.");
        router.push(`/console/emails/${id}`);
      }}
    >
      <ResendSummary email={email} />
    </ConfirmDialog>
  );
}

function CancelEmailDialog({ email, isOpen, onClose }: DialogProps) {
  const cancel = useCancelEmail(email.id);
  const count = email.recipients.length;
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Cancel this email?"
      confirmLabel="Cancel email"
      cancelLabel="Keep email"
      onConfirm={async () => {
        await cancel.mutateAsync();
        toast("Email canceled");
      }}
    >
      <Text>
        {count === 1 ? "The recipient" : `The ${count} recipients`} won’t receive it. This can’t be
        undone, but you can resend the email until its content is deleted.
      </Text>
    </ConfirmDialog>
  );
}

function RescheduleEmailDialog({ email, isOpen, onClose }: DialogProps) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Reschedule email">
      <RescheduleForm email={email} onClose={onClose} />
    </Modal>
  );
}

function RescheduleForm({ email, onClose }: Omit<DialogProps, "isOpen">) {
  const reschedule = useRescheduleEmail(email.id);
  const form = useForm({
    initialValues: {
      scheduledAt: toDateTimeLocal(new Date(email.scheduledAt ?? email.createdAt)),
    },
    labels: { scheduledAt: "Send time" },
    checks: { scheduledAt: required },
    draft: null,
    send: ({ scheduledAt }) => reschedule.mutateAsync(fromDateTimeLocal(scheduledAt)),
    onDone() {
      onClose();
      toast("Email rescheduled");
    },
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
