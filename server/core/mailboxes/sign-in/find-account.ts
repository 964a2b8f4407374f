import { and, eq, inArray, ne, or, sql } from "drizzle-orm";

import { addresses, aliases } from "#drizzle/schema/index.ts";
import { normalizeAccount } from "#server/core/access/sign-in/throttle.ts";
import type { Db } from "#server/db/client.ts";

/**
 * The address that a name signs in as, with every protocol: that of the mailbox for one of its aliases or with a `+tag`,
 * otherwise the normalized name. So all names of a mailbox share its limits. A catch-all and a group are no names.
 *
 * @param typed as typed; the mailbox need not exist
 */
export async function findAccount(db: Db, typed: string): Promise<string> {
  const name = normalizeAccount(typed);
  const untagged = name.replace(/\+[^@]*@/, "@");
  const [found] = await db
    .select({ mailbox: sql<string>`coalesce(${aliases.mailbox}, ${addresses.address})` })
    .from(addresses)
    .leftJoin(aliases, eq(aliases.address, addresses.address))
    .where(
      and(
        inArray(addresses.address, [name, untagged]),
        ne(sql`left(${addresses.address}, 2)`, "*@"),
        or(eq(addresses.kind, "mailbox"), eq(aliases.active, true)),
      ),
    )
    .orderBy(sql`length(${addresses.address}) desc`)
    .limit(1);
  return found?.mailbox ?? name;
}
