import type { Metadata } from "next";

import { MailboxDetails } from "#app/console/(pages)/mailboxes/detail.tsx";

export const metadata: Metadata = { title: "Mailbox" };

export default async function MailboxPage({ params }: { params: Promise<{ address: string }> }) {
  const { address } = await params;
  return <MailboxDetails address={decodeURIComponent(address).toLowerCase()} />;
}
