import type { Metadata } from "next";
import { Suspense } from "react";

import { MailboxDetails } from "./mailbox-details.tsx";
import { MailboxSkeleton } from "./mailbox-skeleton.tsx";

export const metadata: Metadata = { title: "Mailbox" };

export default async function MailboxPage({ params }: { params: Promise<{ address: string }> }) {
  const { address } = await params;
  return (
    <Suspense fallback={<MailboxSkeleton />}>
      <MailboxDetails address={decodeURIComponent(address).toLowerCase()} />
    </Suspense>
  );
}
