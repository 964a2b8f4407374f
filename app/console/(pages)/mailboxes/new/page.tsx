import type { Metadata } from "next";

import { OnlyWith } from "#app/console/ui/only-with.tsx";

import { NewMailbox } from "./new-mailbox.tsx";

export const metadata: Metadata = { title: "Create mailbox" };

export default function NewMailboxPage() {
  return (
    <OnlyWith privilege="create_users" to="make mailboxes">
      <NewMailbox />
    </OnlyWith>
  );
}
