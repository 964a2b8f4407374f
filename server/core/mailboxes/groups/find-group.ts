import { and, eq } from "drizzle-orm";

import { addresses, type Group, groups } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

/** A group that takes mail. */
export type TakingGroup = Group & { domainId: string };

/** The group of an address, whoever's; null when there is none or it is switched off. */
export async function findGroup(db: Db, address: string): Promise<TakingGroup | null> {
  const [found] = await db
    .select({ group: groups, domainId: addresses.domainId })
    .from(groups)
    .innerJoin(addresses, eq(addresses.address, groups.address))
    .where(and(eq(groups.address, address.toLowerCase()), eq(groups.active, true)));
  return found ? { ...found.group, domainId: found.domainId } : null;
}
