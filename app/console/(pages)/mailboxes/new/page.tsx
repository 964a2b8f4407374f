import type { Metadata } from "next";

import { NewMailbox } from "./new-mailbox.tsx";

export const metadata: Metadata = { title: "Create mailbox" };

export default function NewMailboxPage() {
  return <NewMailbox />;
}
