import type { Metadata } from "next";

import { OnlyWith } from "#app/console/ui/only-with.tsx";

import { ImportMailboxes } from "./import-mailboxes.tsx";

export const metadata: Metadata = { title: "Import mailboxes" };

export default function ImportMailboxesPage() {
  return (
    <OnlyWith privilege="create_users" to="make mailboxes">
      <ImportMailboxes />
    </OnlyWith>
  );
}
