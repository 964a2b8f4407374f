import type { Metadata } from "next";

import { RequirePrivilege } from "#app/console/ui/require-privilege.tsx";

import { NewMailbox } from "./new-mailbox.tsx";

export const metadata: Metadata = { title: "Create mailbox" };

export default function NewMailboxPage() {
  return (
    <RequirePrivilege privilege="create_users" action="create mailboxes">
      <NewMailbox />
    </RequirePrivilege>
  );
}
