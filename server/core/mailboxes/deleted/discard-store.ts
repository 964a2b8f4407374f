import { removedStores } from "#drizzle/schema/index.ts";
import { listMailHosts } from "#server/core/mailboxes/mail-hosts/list-mail-hosts.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

/** Enough for sessions to end and running deliveries to finish, if the mailbox was deleted just now. */
const REMOVED_AFTER_MS = 15_000;

/**
 * Has the folder of a deleted mailbox deleted from disk, on all mail hosts: a move may have left a copy on another one. Call in the transaction
 * that deletes its record.
 */
export async function discardStore(
  { db }: Pick<CompanyScope, "db">,
  { store, address }: { store: string; address: string },
): Promise<void> {
  const hosts = await listMailHosts(db);
  const storeHosts = hosts.length === 0 ? [null] : hosts.map(({ name }) => name);
  const rows = storeHosts.map((storeHost) => ({ store, address, storeHost }));
  await db.insert(removedStores).values(rows).onConflictDoNothing();
  const runAt = new Date(Date.now() + REMOVED_AFTER_MS);
  await enqueue(db, "remove_mail_stores", {}, { runAt });
}
