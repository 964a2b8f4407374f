"use client";

import { useDisclosure } from "@mantine/hooks";
import { useRouter } from "next/navigation";

import { type ApiKeyDetail, useRevokeApiKey } from "#app/console/(pages)/api-keys/queries.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { DangerZone } from "#app/console/ui/danger-zone.tsx";
import { toast } from "#app/console/ui/toast.ts";

/** The end of a key. */
export function Revoke({ apiKey }: { apiKey: ApiKeyDetail }) {
  const router = useRouter();
  const revocation = useRevokeApiKey(apiKey.id);
  const [isOpen, dialog] = useDisclosure();
  const consequence = canceledInWords(apiKey.scheduled);
  return (
    <>
      <DangerZone title="Revoke this key" verb="Revoke key" onAct={dialog.open}>
        Calls with it are refused from the next one on. {consequence} This cannot be undone.
      </DangerZone>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title="Revoke this key"
        verb="Revoke key"
        name={apiKey.name}
        isPending={revocation.isPending || revocation.isSuccess}
        error={revocation.error}
        onConfirm={() =>
          revocation.mutate(undefined, {
            onSuccess: () => {
              toast(`${apiKey.name} is revoked`);
              router.replace("/console/api-keys");
            },
          })
        }
      >
        Programs that still use it can no longer send. {consequence} What it sent before stays in
        the list of emails.
      </ConfirmDialog>
    </>
  );
}

function canceledInWords(scheduled: number): string {
  if (scheduled === 0) return "It has no scheduled emails.";
  if (scheduled === 1) return "One email that it scheduled is canceled.";
  return `${scheduled.toLocaleString("en")} emails that it scheduled are canceled.`;
}
