import type { Metadata } from "next";

import { ImportMailboxes } from "./import-mailboxes.tsx";

export const metadata: Metadata = { title: "Import mailboxes" };

export default function ImportMailboxesPage() {
  return <ImportMailboxes />;
}
