import type { Metadata } from "next";

import { RequirePrivilege } from "#app/console/ui/require-privilege.tsx";

import { NewGroup } from "./new-group.tsx";

export const metadata: Metadata = { title: "Create group" };

export default function NewGroupPage() {
  return (
    <RequirePrivilege privilege="manage_groups" action="create groups">
      <NewGroup />
    </RequirePrivilege>
  );
}
