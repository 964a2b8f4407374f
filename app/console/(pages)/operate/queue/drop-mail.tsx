"use client";

import { Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";

import { pluralize } from "#app/console/(pages)/operate/plan-limits.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { DangerZone } from "#app/console/ui/danger-zone.tsx";
import { toast } from "#app/console/ui/toast.ts";

import { type Subject, useDropMail } from "./queries.ts";

/** Gives up what is held, for good. */
export function DropMail({
  subject,
  name,
  count,
}: {
  subject: Subject;
  name: string;
  count: number;
}) {
  const [isOpen, dialog] = useDisclosure();
  const [dropped, setDropped] = useState(0);
  const drop = useDropMail(setDropped);
  return (
    <>
      <DangerZone title="Drop what is held" verb="Drop mail" onAct={dialog.open}>
        Nobody receives it. Each email gets a failed entry for the recipient, which its webhooks and
        logs show; who sent other mail is told like of any bounce. This cannot be undone.
      </DangerZone>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Drop the mail ${subject.kind === "company" ? "of" : "to"} ${name}`}
        verb="Drop mail"
        name={name.toLowerCase()}
        isPending={drop.isPending}
        error={drop.error}
        onConfirm={() =>
          drop.mutate(subject, {
            onSuccess(total) {
              dialog.close();
              toast(`${pluralize(total, "recipient")} dropped`);
            },
          })
        }
      >
        <Text>
          {pluralize(count, "recipient")} will not receive {count === 1 ? "a message" : "messages"}{" "}
          that Posthouse has accepted.
        </Text>
        {drop.isPending && <Text role="status">{pluralize(dropped, "recipient")} so far</Text>}
      </ConfirmDialog>
    </>
  );
}
