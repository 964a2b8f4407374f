import { and, eq, gt, lt, sql } from "drizzle-orm";

import { signInNetworks } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";

import { sourceNetwork } from "./source-network.ts";

/** How long a network stays known after its last use. */
export const KNOWN_DAYS = 90;

/** Records a sign-in from this network, without a second factor at most once an hour. */
export async function rememberNetwork(
  db: Db,
  account: string,
  clientAddress: string,
  { withSecondFactor = false }: { withSecondFactor?: boolean } = {},
): Promise<void> {
  const now = sql<string>`clock_timestamp()`;
  const factor = withSecondFactor ? { secondFactorAt: now } : {};
  await db
    .insert(signInNetworks)
    .values({ account, network: sourceNetwork(clientAddress), ...factor })
    .onConflictDoUpdate({
      target: [signInNetworks.account, signInNetworks.network],
      set: { lastSeenAt: now, ...factor },
      setWhere: withSecondFactor
        ? undefined
        : lt(signInNetworks.lastSeenAt, sql`clock_timestamp() - interval '1 hour'`),
    });
}

/** Whether the account has signed in from this network in the last 90 days. */
export async function isKnownNetwork(
  db: Db,
  account: string,
  clientAddress: string,
): Promise<boolean> {
  const found = await db
    .select({ account: signInNetworks.account })
    .from(signInNetworks)
    .where(
      and(
        eq(signInNetworks.account, account),
        eq(signInNetworks.network, sourceNetwork(clientAddress)),
        gt(
          signInNetworks.lastSeenAt,
          sql`clock_timestamp() - make_interval(days => ${KNOWN_DAYS})`,
        ),
      ),
    );
  return found.length > 0;
}
