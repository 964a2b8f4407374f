import type { Metadata } from "next";

import { NewGroup } from "#app/console/(pages)/groups/forms.tsx";
import { RequirePrivilege } from "#app/console/ui/require-privilege.tsx";

export const metadata: Metadata = { title: "Create group" };

export default function NewGroupPage() {
  return (
    <RequirePrivilege privilege="manage_groups" action="create groups">
      <NewGroup />
    </RequirePrivilege>
  );
}
