"use client";

import { Text } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { useState } from "react";

import { pluralize } from "#app/console/ui/format.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { DangerZone } from "#app/console/ui/panel.tsx";
import { toast } from "#app/console/ui/actions.tsx";

import { type Subject, useDropMail } from "./queries.ts";

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
      <DangerZone title="Drop mail on hold" actionLabel="Drop mail" onAction={dialog.open}>
        The mail won’t be delivered. Emails get a failed event, which webhooks and logs show.
        Senders of other mail get a bounce message. This can’t be undone.
      </DangerZone>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Drop mail ${subject.kind === "company" ? "from" : "to"} ${name}?`}
        confirmLabel="Drop mail"
        typeToConfirm={name}
        onConfirm={async () => {
          const total = await drop.mutateAsync(subject);
          toast(`Mail dropped for ${pluralize(total, "recipient")}`);
        }}
      >
        <Text>
          {pluralize(count, "recipient")} won’t receive mail that Posthouse has already accepted.
        </Text>
        {drop.isPending && (
          <Text role="status">Dropping… {pluralize(dropped, "recipient")} so far</Text>
        )}
      </ConfirmDialog>
    </>
  );
}
