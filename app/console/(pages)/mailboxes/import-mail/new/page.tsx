import type { Metadata } from "next";

import { RequirePrivilege } from "#app/console/ui/require-privilege.tsx";

import { NewImport } from "./new-import.tsx";

export const metadata: Metadata = { title: "Import mail" };

export default function NewImportPage() {
  return (
    <RequirePrivilege privilege="update_users" action="import mail">
      <NewImport />
    </RequirePrivilege>
  );
}
