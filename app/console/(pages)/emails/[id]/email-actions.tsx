import { Button, Text } from "@mantine/core";
import { IconCalendarTime, IconRefresh } from "@tabler/icons-react";
import { useRouter } from "next/navigation";
import { useRef, useState } from "react";

import { type EmailDetail, queriesOfEmail } from "#app/console/(pages)/emails/queries.ts";
import { randomUuid } from "#app/console/(pages)/emails/random-uuid.ts";
import { toast, useChange } from "#app/console/ui/actions.tsx";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { onDemand } from "#app/console/ui/on-demand.tsx";
import { usePrivileges } from "#app/console/session.ts";

const RescheduleEmailDialog = onDemand(() =>
  import("./reschedule-dialog.tsx").then((module) => module.RescheduleEmailDialog),
);

type OpenDialog = "resend" | "cancel" | "reschedule" | null;

/** The email's actions: reschedule and cancel while it's scheduled, resend afterward unless it's a test email. */
export function EmailActions({ email }: { email: EmailDetail }) {
  const [openDialog, setOpenDialog] = useState<OpenDialog>(null);
  const close = () => setOpenDialog(null);
  const isScheduled = email.status === "scheduled";
  if (!usePrivileges().has("api_controls")) return null;
  return (
    <>
      {isScheduled && (
        <>
          <Button
            variant="default"
            leftSection={<IconCalendarTime size={14} />}
            onPointerEnter={RescheduleEmailDialog.preload}
            onFocus={RescheduleEmailDialog.preload}
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
      {openDialog === "reschedule" && <RescheduleEmailDialog email={email} onClose={close} />}
      <ResendEmailDialog email={email} isOpen={openDialog === "resend"} onClose={close} />
    </>
  );
}

type DialogProps = { email: EmailDetail; isOpen: boolean; onClose: () => void };

function ResendEmailDialog({ email, isOpen, onClose }: DialogProps) {
  const router = useRouter();
  // A repeated request has the same ID until it succeeds, so it never sends twice.
  const attempt = useRef<string | null>(null);
  const resend = useChange("emails.resend", { invalidates: queriesOfEmail(email.id) });
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Resend this email?"
      confirmLabel="Resend email"
      isHarmless
      onConfirm={async () => {
        const { id } = await resend.run({
          params: { id: email.id },
          query: { attempt: (attempt.current ??= randomUuid()) },
        });
        attempt.current = null;
        toast("Email resent. This page shows the new copy.");
        router.push(`/console/emails/${id}`);
      }}
    >
      <ResendSummary email={email} />
    </ConfirmDialog>
  );
}

function CancelEmailDialog({ email, isOpen, onClose }: DialogProps) {
  const cancel = useChange("emails.cancel", {
    invalidates: queriesOfEmail(email.id),
    success: "Email canceled",
  });
  const count = email.recipients.length;
  return (
    <ConfirmDialog
      isOpen={isOpen}
      onClose={onClose}
      title="Cancel this email?"
      confirmLabel="Cancel email"
      cancelLabel="Keep email"
      onConfirm={() => cancel.run({ params: { id: email.id } })}
    >
      <Text>
        {count === 1 ? "The recipient" : `The ${count} recipients`} won’t receive it. This can’t be
        undone, but you can resend the email until its content is deleted.
      </Text>
    </ConfirmDialog>
  );
}

/** More would push the confirm button out of view. */
const NAMED_MAX = 8;

/** Lists who will receive the resent email and who is skipped. */
function ResendSummary({ email: { recipients, attachments } }: { email: EmailDetail }) {
  const skipped = recipients.filter(({ suppression }) => suppression);
  const remaining = recipients.filter(({ suppression }) => !suppression);
  const files = attachments.length === 1 ? "attachment" : `${attachments.length} attachments`;
  return (
    <>
      <Text>
        {remaining.length > 0
          ? `Posthouse will immediately send a new email with the same content${attachments.length > 0 ? ` and ${files}` : ""} to:`
          : "The new email has no recipients."}
      </Text>
      <RecipientAddresses recipients={remaining} />
      {skipped.length > 0 && (
        <>
          <Text mt="sm">
            {skipped.length === 1
              ? "This address is on your suppression list and won’t receive it:"
              : "These addresses are on your suppression list and won’t receive it:"}
          </Text>
          <RecipientAddresses recipients={skipped} />
        </>
      )}
    </>
  );
}

function RecipientAddresses({ recipients }: { recipients: { address: string }[] }) {
  if (recipients.length === 0) return null;
  const more = recipients.length - NAMED_MAX;
  return (
    <ul style={{ listStyle: "revert", margin: "revert", padding: "revert" }}>
      {recipients.slice(0, NAMED_MAX).map(({ address }) => (
        <li key={address}>{address}</li>
      ))}
      {more > 0 && <li>and {more} more</li>}
    </ul>
  );
}
