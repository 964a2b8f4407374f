import type { Metadata } from "next";
import { Suspense } from "react";

import { Mailboxes, MailboxesSkeleton } from "./mailboxes.tsx";

export const metadata: Metadata = { title: "Mailboxes" };

export default function MailboxesPage() {
  return (
    <Suspense fallback={<MailboxesSkeleton />}>
      <Mailboxes />
    </Suspense>
  );
}
