import type { Metadata } from "next";

import { RequirePrivilege } from "#app/console/ui/require-privilege.tsx";

import { ImportMail } from "./list.tsx";

export const metadata: Metadata = { title: "Import mail" };

export default function ImportMailPage() {
  return (
    <RequirePrivilege privilege="update_users" action="import mail">
      <ImportMail />
    </RequirePrivilege>
  );
}
