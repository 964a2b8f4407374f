"use client";

import { useDisclosure } from "@mantine/hooks";
import { useRouter } from "next/navigation";

import {
  type DomainDetail,
  type DomainUse,
  useDeleteDomain,
} from "#app/console/(pages)/domains/queries.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { DangerZone } from "#app/console/ui/danger-zone.tsx";

/** The domain's end, for owners to see. */
export function DeleteDomain({ domain, use }: { domain: DomainDetail; use: DomainUse }) {
  const router = useRouter();
  const deletion = useDeleteDomain(domain.id);
  const [isOpen, dialog] = useDisclosure();

  if (use.mailboxes > 0)
    return (
      <DangerZone title="Delete this domain">
        It still has {counted(use.mailboxes, "mailbox", "mailboxes")}. Delete them first.
      </DangerZone>
    );
  return (
    <>
      <DangerZone title="Delete this domain" verb="Delete domain" onAct={dialog.open}>
        {consequencesOf(domain, use)} This cannot be undone.
      </DangerZone>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Delete ${domain.name}`}
        verb="Delete domain"
        name={domain.name}
        isPending={deletion.isPending || deletion.isSuccess}
        error={deletion.error}
        onConfirm={() =>
          deletion.mutate(undefined, { onSuccess: () => router.replace("/console/domains") })
        }
      >
        {consequencesOf(domain, use)} Its records in the DNS are yours: remove them there.
      </ConfirmDialog>
    </>
  );
}

function consequencesOf({ is_proven: isProven }: DomainDetail, use: DomainUse): string {
  if (!isProven)
    return "The domain leaves the list. Adding it again does not extend its seven days.";
  return [
    "Sending from it stops at once, and its signing key and reports are deleted.",
    use.api_keys > 0 &&
      `${counted(use.api_keys, "API key", "API keys")} restricted to it will be revoked.`,
    use.scheduled_emails > 0 &&
      `${counted(use.scheduled_emails, "scheduled email", "scheduled emails")} will fail when due.`,
  ]
    .filter(Boolean)
    .join(" ");
}

const counted = (count: number, one: string, many: string) =>
  `${count} ${count === 1 ? one : many}`;
