import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

export type SearchStore = {
  address: string;
  store: string;
  messages: number;
  bytes: number;
  /** Whether it should have a search index. */
  isIndexed: boolean;
};

/**
 * Lists the mailboxes that a mail host stores, and which of them should have a search index.
 *
 * @param host null if mail hosts have no names
 */
export const listSearchStores = (db: Db, host: string | null): Promise<SearchStore[]> =>
  db.execute<SearchStore>(sql`
    select m.address, m.store, coalesce(u.messages, 0)::int as messages,
      coalesce(u.used_bytes, 0)::float8 as bytes, p.full_text_search = 'on' as "isIndexed"
    from mailboxes m
      join mailbox_policies p on p.address = m.address
      left join mailbox_usage u on u.address = m.address
    where ${host}::text is null or coalesce(m.store_host, ${host}) = ${host}
    order by u.messages nulls first, m.address`);
