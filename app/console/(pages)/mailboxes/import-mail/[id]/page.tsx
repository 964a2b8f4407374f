import type { Metadata } from "next";

import { RequirePrivilege } from "#app/console/ui/require-privilege.tsx";

import { ImportDetails } from "./import-details.tsx";

export const metadata: Metadata = { title: "Import" };

export default async function ImportPage({ params }: { params: Promise<{ id: string }> }) {
  const { id } = await params;
  return (
    <RequirePrivilege privilege="update_users" action="import mail">
      <ImportDetails id={id} />
    </RequirePrivilege>
  );
}
