import { and, eq } from "drizzle-orm";

import { addresses, type Group, groups } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** An active group. */
export type ActiveGroup = Group & { domainId: string };

/** Finds the active group with this address, in any company; null if there is none. */
export async function findGroup(db: Db, address: string): Promise<ActiveGroup | null> {
  const [found] = await db
    .select({ group: groups, domainId: addresses.domainId })
    .from(groups)
    .innerJoin(addresses, eq(addresses.address, groups.address))
    .where(and(eq(groups.address, address.toLowerCase()), eq(groups.active, true)));
  return found ? { ...found.group, domainId: found.domainId } : null;
}
