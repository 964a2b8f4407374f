import { sql } from "drizzle-orm";

import type { mailboxUsage } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** What a mailbox stores. */
export type MailboxUsage = typeof mailboxUsage.$inferSelect;

/** Stores what Dovecot reports. Ignores mailboxes that have been deleted meanwhile. */
export async function recordUsage(db: Db, usages: MailboxUsage[]): Promise<void> {
  // In the order of addresses, as other mail hosts write, so that two can't wait for each other.
  await db.execute(sql`
    insert into mailbox_usage (address, used_bytes, messages)
    select address, greatest("usedBytes", 0), greatest(messages, 0)
    from jsonb_to_recordset(${JSON.stringify(usages)}::jsonb)
      e(address text, "usedBytes" bigint, messages bigint)
    where address in (select address from mailboxes)
    order by address
    on conflict (address) do update set used_bytes = excluded.used_bytes, messages = excluded.messages`);
}
