import { mailboxContacts } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** Keeps in mind whom a mailbox writes to. */
export async function learnContacts(
  db: Db,
  mailbox: string,
  contacts: readonly string[],
): Promise<void> {
  if (contacts.length === 0) return;
  await db
    .insert(mailboxContacts)
    .values(contacts.map((contact) => ({ mailbox, contact })))
    .onConflictDoNothing();
}
