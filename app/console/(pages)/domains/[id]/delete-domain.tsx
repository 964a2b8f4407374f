"use client";

import { useDisclosure } from "@mantine/hooks";
import { useRouter } from "next/navigation";

import {
  type DomainDetail,
  type DomainUse,
  useDeleteDomain,
} from "#app/console/(pages)/domains/queries.ts";
import { pluralize } from "#app/console/ui/format.ts";
import { useRestorableUntil } from "#app/console/(pages)/deleted/restorable-until.ts";
import { ConfirmDialog } from "#app/console/ui/dialog.tsx";
import { DangerZone } from "#app/console/ui/panel.tsx";

export function DeleteDomain({ domain, use }: { domain: DomainDetail; use: DomainUse }) {
  const router = useRouter();
  const deletion = useDeleteDomain(domain);
  const until = useRestorableUntil();
  const restorable = domain.isOwnershipVerified ? until : null;
  const [isOpen, dialog] = useDisclosure();

  if (use.mailboxes > 0)
    return (
      <DangerZone title="Delete this domain">
        This domain has {pluralize(use.mailboxes, "mailbox", "mailboxes")}. Delete{" "}
        {use.mailboxes === 1 ? "it" : "them"} before you delete the domain. You can restore both
        later.
      </DangerZone>
    );
  return (
    <>
      <DangerZone title="Delete this domain" actionLabel="Delete domain" onAction={dialog.open}>
        {consequences(domain, use)} {restorable}
      </DangerZone>
      <ConfirmDialog
        isOpen={isOpen}
        onClose={dialog.close}
        title={`Delete ${domain.name}?`}
        confirmLabel="Delete domain"
        typeToConfirm={domain.name}
        leavesPage
        onConfirm={async () => {
          await deletion.run();
          router.replace("/console/domains");
        }}
      >
        {consequences(domain, use)} {restorable} Keep its records at your DNS provider until then.
      </ConfirmDialog>
    </>
  );
}

function consequences({ isOwnershipVerified }: DomainDetail, use: DomainUse): string {
  if (!isOwnershipVerified)
    return "You can create the domain again, but you won’t get another seven days to verify it.";
  return [
    "Sending and receiving for this domain stop immediately, and its DMARC and TLS reports are deleted.",
    use.apiKeys > 0 &&
      `${pluralize(use.apiKeys, "API key")} restricted to this domain will be revoked until you restore it.`,
    use.scheduledEmails > 0 &&
      `${pluralize(use.scheduledEmails, "scheduled email")} will fail at the scheduled time.`,
  ]
    .filter(Boolean)
    .join(" ");
}
