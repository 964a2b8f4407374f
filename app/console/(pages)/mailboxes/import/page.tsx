import type { Metadata } from "next";

import { RequirePrivilege } from "#app/console/ui/require-privilege.tsx";

import { ImportMailboxes } from "./import-mailboxes.tsx";

export const metadata: Metadata = { title: "Import mailboxes" };

export default function ImportMailboxesPage() {
  return (
    <RequirePrivilege privilege="create_users" action="create mailboxes">
      <ImportMailboxes />
    </RequirePrivilege>
  );
}
