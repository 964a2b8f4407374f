import type { Metadata } from "next";

import { RequirePrivilege } from "#app/console/ui/require-privilege.tsx";

import { MailboxImportDetails } from "./mailbox-import.tsx";

export const metadata: Metadata = { title: "Mailbox import" };

export default async function MailboxImportPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <RequirePrivilege privilege="create_users" action="create mailboxes">
      <MailboxImportDetails id={id} />
    </RequirePrivilege>
  );
}
