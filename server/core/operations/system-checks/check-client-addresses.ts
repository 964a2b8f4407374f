import { sql } from "drizzle-orm";

import { mailLog } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { defaultGateways } from "#server/gateways/default-gateways.ts";

import { type Finding, ok, warning } from "./finding.ts";

const PART = "client addresses";
/** Fewer can be someone testing from the gateway. */
const FROM_GATEWAY_MIN = 10;
/** The newest entries that are read. */
const ENTRIES_MAX = 10_000;

type Seen = { all: number; fromGateway: number; gateway: string | null };

/**
 * Checks whether SMTP clients of the last day came from the default gateway. A gateway is hardly ever a mail
 * server, so it probably hides the clients' real addresses, as Docker's proxy does for IPv6 clients of a container
 * without IPv6.
 *
 * @param gateways default gateways, if known
 */
export async function checkClientAddresses(db: Db, gateways?: string[]): Promise<Finding> {
  const known = `{${(gateways ?? (await defaultGateways())).join(",")}}`;
  const [seen] = await db.execute<Seen>(sql`
    with newest as (
      select ${mailLog.clientAddress} as address, ${mailLog.clientAddress} = any (${known}::inet[]) as is_gateway
      from ${mailLog}
      where ${mailLog.createdAt} > statement_timestamp() - interval '1 day'
      order by ${mailLog.createdAt} desc
      limit ${ENTRIES_MAX}
    )
    select count(*)::int as "all",
      count(*) filter (where is_gateway)::int as "fromGateway",
      min(host(address)) filter (where is_gateway) as gateway
    from newest`);
  const { all, fromGateway, gateway } = seen!;
  if (fromGateway < FROM_GATEWAY_MIN)
    return ok(PART, "SMTP clients connect with their own addresses");
  return warning(
    PART,
    `${fromGateway} of the newest ${all} SMTP log entries have the address of the gateway, ${gateway!}, instead of the client's. SPF, blocklists, greylisting and limits don't work for them`,
    "In Docker, use an IPv6-enabled network as compose.yaml does, or the host's network. Behind a router or proxy, turn off source address translation",
  );
}
