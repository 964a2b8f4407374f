import { and, eq, isNotNull, isNull, or, sql } from "drizzle-orm";

import { addresses, groups, mailboxes } from "#drizzle/schema/index.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { containsWords } from "#server/core/shared/paging/pages.ts";
import { storableText } from "#server/core/shared/text.ts";

export type Contact = { address: string; name: string };

/**
 * The company's address book: its active mailboxes and groups, by name. If `search` is an address, that address comes first.
 *
 * @param search words in the name or address
 */
export async function listContacts(
  { db, companyId }: CompanyScope,
  { search, first, limit }: { search: string; first: number; limit: number },
): Promise<{ total: number; contacts: Contact[] }> {
  const name = sql<string>`coalesce(${mailboxes.name}, ${groups.name}, '')`;
  const rows = await db
    .select({
      address: addresses.address,
      name,
      total: sql<number>`(count(*) over ())::int`.as("total"),
    })
    .from(addresses)
    .leftJoin(mailboxes, eq(mailboxes.address, addresses.address))
    .leftJoin(groups, eq(groups.address, addresses.address))
    .where(
      and(
        eq(addresses.companyId, companyId),
        or(
          and(isNotNull(mailboxes.address), isNull(mailboxes.suspendedAt)),
          eq(groups.active, true),
        ),
        containsWords([name, addresses.address], search),
      ),
    )
    .orderBy(
      sql`${addresses.address} <> ${storableText(search.toLowerCase())}`,
      sql`lower(${name})`,
      addresses.address,
    )
    .limit(limit)
    .offset(first);
  return {
    total: rows[0]?.total ?? 0,
    contacts: rows.map((row) => ({ address: row.address, name: row.name })),
  };
}
