import { sql } from "drizzle-orm";

import { sourceNetwork } from "#server/core/access/sign-in/source-network.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Tells whether an address is of a network that a mailbox is new on: first seen less than a day ago, or
 * not yet. The first network that a mailbox was ever used from is its own, however new.
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
