import type { Metadata } from "next";

import { RequirePrivilege } from "#app/console/ui/require-privilege.tsx";

import { NewRole } from "#app/console/(pages)/team/roles/forms.tsx";

export const metadata: Metadata = { title: "Create role" };

export default function NewRolePage() {
  return (
    <RequirePrivilege privilege="manage_admins" action="create roles">
      <NewRole />
    </RequirePrivilege>
  );
}
