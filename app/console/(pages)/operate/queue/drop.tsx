"use client";

import { Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";

import { counted } from "#app/console/(pages)/operate/figures.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { DangerZone } from "#app/console/ui/danger-zone.tsx";
import { toast } from "#app/console/ui/toast.ts";

import { type Subject, useDrop } from "./queries.ts";

/** Gives up what is held, for good. */
export function Drop({ subject, name, count }: { subject: Subject; name: string; count: number }) {
  const [isOpen, dialog] = useDisclosure();
  const [dropped, setDropped] = useState(0);
  const drop = useDrop(setDropped);
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
              toast(`${counted(total, "recipient")} dropped`);
            },
          })
        }
      >
        <Text>
          {counted(count, "recipient")} will not receive {count === 1 ? "a message" : "messages"}{" "}
          that Posthouse has accepted.
        </Text>
        {drop.isPending && <Text role="status">{counted(dropped, "recipient")} so far</Text>}
      </ConfirmDialog>
    </>
  );
}
