import { and, eq, gt, lt, sql } from "drizzle-orm";
import ipaddr from "ipaddr.js";

import { signInNetworks } from "#drizzle/schema/index.ts";
import type { SessionOrigin } from "#server/core/access/sessions/sessions.ts";
import type { Db } from "#server/db/client.ts";

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

/** Invalid addresses share one source. */
const UNKNOWN = "unknown";

/**
 * The source that attempts from an address are counted under: the address itself for IPv4, the /64 for IPv6,
 * which usually belongs to one household or server.
 */
export function sourceNetwork(address: string): string {
  if (!ipaddr.isValid(address)) return UNKNOWN;
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString();
  const network = [...parsed.toByteArray().slice(0, 8), ...Array<number>(8).fill(0)];
  return `${ipaddr.fromByteArray(network).toString()}/64`;
}

export type SignInOrigin = SessionOrigin & { clientAddress: string };
