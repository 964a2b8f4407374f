"use client";

import { useDisclosure } from "@mantine/hooks";
import { useRouter } from "next/navigation";

import { type ApiKeyDetail, useRevokeApiKey } from "#app/console/(pages)/api-keys/queries.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { DangerZone } from "#app/console/ui/panel.tsx";
import { formatCount } from "#app/console/ui/format.ts";
import { toast } from "#app/console/ui/actions.tsx";

export function RevokeApiKey({ apiKey }: { apiKey: ApiKeyDetail }) {
  const router = useRouter();
  const revocation = useRevokeApiKey(apiKey.id);
  const [isOpen, dialog] = useDisclosure();
  const consequence = cancellationNotice(apiKey.scheduled);
  return (
    <>
      <DangerZone title="Revoke this key" actionLabel="Revoke key" onAction={dialog.open}>
        Requests with this key are rejected immediately. {consequence} This can’t be undone.
      </DangerZone>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title="Revoke this key?"
        confirmLabel="Revoke key"
        typeToConfirm={apiKey.name}
        leavesPage
        onConfirm={async () => {
          await revocation.mutateAsync();
          toast(`${apiKey.name} revoked`);
          router.replace("/console/api-keys");
        }}
      >
        Applications that use this key can no longer send emails. {consequence} Emails that were
        already sent with it stay in the list.
      </ConfirmDialog>
    </>
  );
}

function cancellationNotice(scheduled: number): string {
  if (scheduled === 0) return "The key has no scheduled emails.";
  if (scheduled === 1) return "1 scheduled email will be canceled.";
  return `${formatCount(scheduled)} scheduled emails will be canceled.`;
}
