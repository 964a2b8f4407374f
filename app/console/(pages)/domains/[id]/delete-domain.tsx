"use client";

import { useDisclosure } from "@mantine/hooks";
import { useRouter } from "next/navigation";

import {
  type DomainDetail,
  type DomainUse,
  useDeleteDomain,
} from "#app/console/(pages)/domains/queries.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { ConfirmDialog } from "#app/console/ui/confirm-dialog.tsx";
import { DangerZone } from "#app/console/ui/danger-zone.tsx";

export function DeleteDomain({ domain, use }: { domain: DomainDetail; use: DomainUse }) {
  const router = useRouter();
  const deletion = useDeleteDomain(domain.id);
  const [isOpen, dialog] = useDisclosure();

  if (use.mailboxes > 0)
    return (
      <DangerZone title="Delete this domain">
        This domain has {pluralize(use.mailboxes, "mailbox", "mailboxes")}. Delete{" "}
        {use.mailboxes === 1 ? "it" : "them"} before you delete the domain.
      </DangerZone>
    );
  return (
    <>
      <DangerZone title="Delete this domain" actionLabel="Delete domain" onAction={dialog.open}>
        {consequences(domain, use)} This can’t be undone.
      </DangerZone>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Delete ${domain.name}?`}
        confirmLabel="Delete domain"
        typeToConfirm={domain.name}
        leavesPage
        onConfirm={async () => {
          await deletion.mutateAsync();
          router.replace("/console/domains");
        }}
      >
        {consequences(domain, use)} Afterwards, remove its records at your DNS provider.
      </ConfirmDialog>
    </>
  );
}

function consequences(
  { is_ownership_verified: isOwnershipVerified }: DomainDetail,
  use: DomainUse,
): string {
  if (!isOwnershipVerified)
    return "You can create the domain again, but you won’t get another seven days to verify it.";
  return [
    "Sending from this domain stops immediately, and its DKIM key and reports are deleted.",
    use.api_keys > 0 &&
      `${pluralize(use.api_keys, "API key")} restricted to this domain will be revoked.`,
    use.scheduled_emails > 0 &&
      `${pluralize(use.scheduled_emails, "scheduled email")} will fail at the scheduled time.`,
  ]
    .filter(Boolean)
    .join(" ");
}
