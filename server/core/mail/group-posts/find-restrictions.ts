import { sql } from "drizzle-orm";

import type { Db } from "#server/db/client.ts";

/**
 * Finds what can make a group reject a message, before its content arrives: `isRestricted` if not everyone can post,
 * `isEmpty` if it has no members.
 */
export async function findRestrictions(
  db: Db,
  group: string,
): Promise<{ isRestricted: boolean; isEmpty: boolean }> {
  const [found] = await db.execute<{ isRestricted: boolean; isEmpty: boolean }>(sql`
    select g.posting <> 'anyone' as "isRestricted",
      not exists (select from group_members m where m.group_address = g.address) as "isEmpty"
    from groups g where g.address = ${group}`);
  return found ?? { isRestricted: false, isEmpty: true };
}
