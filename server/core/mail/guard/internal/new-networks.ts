import { sql } from "drizzle-orm";

import { sourceNetwork } from "#server/core/access/sign-in/networks.ts";
import type { Db } from "#server/db/client.ts";

/**
 * A predicate for addresses in networks that are new to a mailbox: first seen less than a day ago, or never. The
 * first network that a mailbox was used from never counts as new.
 */
export async function newNetworks(
  db: Db,
  mailbox: string,
): Promise<(clientAddress: string) => boolean> {
  const networks = await db.execute<{ network: string; isNew: boolean }>(sql`
    select network, first_seen_at > clock_timestamp() - interval '1 day'
      and first_seen_at > min(first_seen_at) over () as "isNew"
    from sign_in_networks where account = ${mailbox}`);
  const known = new Map(networks.map(({ network, isNew }) => [network, isNew]));
  return (clientAddress) => known.get(sourceNetwork(clientAddress)) ?? known.size > 0;
}
