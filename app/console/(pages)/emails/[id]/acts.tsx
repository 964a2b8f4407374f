"use client";

import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { IconCalendarTime, IconRefresh } from "@tabler/icons-react";
import { useRouter } from "next/navigation";
import { type SubmitEvent, useState } from "react";

import {
  fromLocalField,
  readersZone,
  toLocalField,
} from "#app/console/(pages)/emails/local-moment.ts";
import type { EmailDetail } from "#app/console/(pages)/emails/queries.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { FormProblem, problemOfField } from "#app/console/ui/form-problem.tsx";
import { Modal } from "#app/console/ui/modal.tsx";
import { textOf } from "#app/console/ui/text-of.ts";
import { toast } from "#app/console/ui/toast.ts";

import { ResendWords } from "./resend-words.tsx";
import { useCancel, useReschedule, useResend } from "./use-acts.ts";

type Asked = "resend" | "cancel" | "reschedule" | null;

/** What can be done with an email: all of it while it waits for its time, else sending it again. */
export function Acts({ email }: { email: EmailDetail }) {
  const [asked, setAsked] = useState<Asked>(null);
  const close = () => setAsked(null);
  const isScheduled = email.status === "scheduled";
  return (
    <>
      {isScheduled && (
        <>
          <Button
            variant="default"
            leftSection={<IconCalendarTime size={14} />}
            onClick={() => setAsked("reschedule")}
          >
            Reschedule
          </Button>
          <Button
            variant="default"
            c="var(--mantine-color-error)"
            onClick={() => setAsked("cancel")}
          >
            Cancel email
          </Button>
        </>
      )}
      {!isScheduled && email.content && (
        <Button
          variant="default"
          leftSection={<IconRefresh size={14} />}
          onClick={() => setAsked("resend")}
        >
          Send again
        </Button>
      )}
      <Cancel email={email} isOpen={asked === "cancel"} onClose={close} />
      <Reschedule email={email} isOpen={asked === "reschedule"} onClose={close} />
      <Resend email={email} isOpen={asked === "resend"} onClose={close} />
    </>
  );
}

type Dialog = { email: EmailDetail; isOpen: boolean; onClose: () => void };

function Resend({ email, isOpen, onClose }: Dialog) {
  const router = useRouter();
  const resend = useResend(email.id);
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={() => {
        resend.reset();
        onClose();
      }}
      title="Send this email again?"
      verb="Send again"
      isHarmless
      isPending={resend.isPending}
      error={resend.error}
      onConfirm={() =>
        resend.mutate(undefined, {
          onSuccess({ id }) {
            onClose();
            toast("Sent again. This is the new email.");
            router.push(`/console/emails/${id}`);
          },
        })
      }
    >
      <ResendWords email={email} />
    </ConfirmDialog>
  );
}

function Cancel({ email, isOpen, onClose }: Dialog) {
  const cancel = useCancel(email.id);
  const count = email.recipients.length;
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={() => {
        cancel.reset();
        onClose();
      }}
      title="Cancel this email?"
      verb="Cancel email"
      wayBack="Keep email"
      isPending={cancel.isPending}
      error={cancel.error}
      onConfirm={() =>
        cancel.mutate(undefined, {
          onSuccess() {
            onClose();
            toast("The email is canceled.");
          },
        })
      }
    >
      <Text>
        {count === 1 ? "Its recipient" : `Its ${count} recipients`} will not get it. This cannot be
        taken back, but you can send it again while its content is kept.
      </Text>
    </ConfirmDialog>
  );
}

function Reschedule({ email, isOpen, onClose }: Dialog) {
  return (
    <Modal opened={isOpen} onClose={onClose} title="Reschedule">
      <RescheduleForm email={email} onClose={onClose} />
    </Modal>
  );
}

function RescheduleForm({ email, onClose }: Omit<Dialog, "isOpen">) {
  const reschedule = useReschedule(email.id);
  const problem = problemOfField(reschedule.error, "scheduled_at", "The time");

  function handleSubmit(event: SubmitEvent<HTMLFormElement>) {
    event.preventDefault();
    const time = fromLocalField(textOf(new FormData(event.currentTarget), "time"));
    reschedule.mutate(time, {
      onSuccess() {
        onClose();
        toast("The email is rescheduled.");
      },
    });
  }

  return (
    <form onSubmit={handleSubmit} method="post" noValidate>
      <Stack gap="md">
        <TextInput
          type="datetime-local"
          name="time"
          label="Send it at"
          description={`In your time zone, ${readersZone()}. At most 30 days ahead.`}
          defaultValue={toLocalField(new Date(email.scheduled_at ?? email.created_at))}
          error={problem}
          data-autofocus
        />
        {!problem && <FormProblem error={reschedule.error} />}
        <Group justify="flex-end" gap="xs">
          <Button variant="default" onClick={onClose}>
            Keep as it is
          </Button>
          <Button type="submit" data-loading={reschedule.isPending || undefined}>
            Reschedule
          </Button>
        </Group>
      </Stack>
    </form>
  );
}
