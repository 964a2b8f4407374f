import { sql } from "drizzle-orm";

import { mailLog, signInNetworks } from "#drizzle/schema/index.ts";
import type { Db } from "#server/db/client.ts";
import { defaultGateways } from "#server/gateways/default-gateways.ts";
import { isPublicAddress } from "#server/gateways/public-address.ts";

import { combineFindings, failed, type Finding, ok, warning } from "./finding.ts";

const PART = "client addresses";
/** Fewer can be someone testing from the gateway. */
const FROM_GATEWAY_MIN = 10;
/** The newest entries that are read. */
const ENTRIES_MAX = 1_000;
/** A proxy hides clients if this many entries and this share of all have its private address, ... */
const FROM_PROXY_MIN = 20;
const FROM_PROXY_SHARE = 0.9;
/** ... and come from this many hosts or accounts. Fewer can be an internal server that delivers all mail. */
const BEHIND_PROXY_MIN = 5;

const ADVICE =
  "In Docker, use an IPv6-enabled network as compose.yaml does, or the host's network. Behind a router, turn off source address translation. " +
  "A proxy must send the PROXY protocol (POSTHOUSE_PROXY_PROTOCOL), or x-forwarded-for for HTTP (POSTHOUSE_TRUSTED_PROXIES)";

type ClientEntries = {
  address: string;
  entries: number;
  /** EHLO names or accounts. */
  names: number;
  isGateway: boolean;
};

/**
 * Checks whether the clients of the last day have addresses of their own, or those of a gateway or proxy that hides
 * them, as Docker's proxy does for IPv6 clients of a container without IPv6.
 *
 * @param gateways default gateways, if known
 */
export async function checkClientAddresses(db: Db, gateways?: string[]): Promise<Finding> {
  const known = gateways ?? (await defaultGateways());
  const [smtp, signIns] = await Promise.all([smtpSources(db, known), signInSources(db)]);
  return combineFindings(PART, [judgeSmtp(smtp), ...judgeSignIns(signIns)]);
}

/** A gateway is hardly ever a mail server. Other private addresses can be. */
function judgeSmtp(sources: ClientEntries[]): Finding {
  const all = sum(sources);
  const hidden = findHiding(sources, FROM_PROXY_MIN);
  if (hidden)
    return failed(
      PART,
      `${hidden.entries} of the newest ${all} SMTP log entries have the address ${hidden.address} instead of the client's. SPF, blocklists, greylisting and limits don't work`,
      ADVICE,
    );
  const gateways = sources.filter(({ isGateway }) => isGateway);
  const fromGateway = sum(gateways);
  if (fromGateway < FROM_GATEWAY_MIN)
    return ok(PART, "SMTP clients connect with their own addresses");
  return warning(
    PART,
    `${fromGateway} of the newest ${all} SMTP log entries have the address of the gateway, ${gateways[0]!.address}, instead of the client's. SPF, blocklists, greylisting and limits don't work for them`,
    ADVICE,
  );
}

function judgeSignIns(sources: ClientEntries[]): Finding[] {
  const hidden = findHiding(sources, BEHIND_PROXY_MIN);
  if (!hidden) return [];
  return [
    warning(
      PART,
      `${hidden.names} accounts signed in from ${hidden.address} in the last day, and hardly any from elsewhere. Limits on password guessing apply to all of them together`,
      ADVICE,
    ),
  ];
}

/** The private address that nearly everything comes from, if different clients do. */
function findHiding(sources: ClientEntries[], entriesMin: number): ClientEntries | undefined {
  const all = sum(sources);
  return sources.find(
    ({ address, entries, names, isGateway }) =>
      entries >= entriesMin &&
      entries >= all * FROM_PROXY_SHARE &&
      (isGateway || names >= BEHIND_PROXY_MIN) &&
      !isPublicAddress(address),
  );
}

const sum = (sources: ClientEntries[]) => sources.reduce((all, { entries }) => all + entries, 0);

/** The newest SMTP log entries of the last day by client address, without this machine's. */
function smtpSources(db: Db, gateways: string[]): Promise<ClientEntries[]> {
  return db.execute<ClientEntries>(sql`
    with newest as (
      select ${mailLog.clientAddress} as address, ${mailLog.helo} as helo
      from ${mailLog}
      where ${mailLog.createdAt} > statement_timestamp() - interval '1 day'
      order by ${mailLog.createdAt} desc
      limit ${ENTRIES_MAX}
    )
    select host(address) as address, count(*)::int as entries, count(distinct helo)::int as names,
      address = any (${`{${gateways.join(",")}}`}::inet[]) as "isGateway"
    from newest
    where not (address <<= '127.0.0.0/8' or address = '::1')
    group by address`);
}

/**
 * The accounts that signed in during the last day, by IPv4 address or IPv6 network. A network is no proxy, so
 * its accounts aren't behind one.
 */
function signInSources(db: Db): Promise<ClientEntries[]> {
  return db.execute<ClientEntries>(sql`
    select ${signInNetworks.network} as address, count(*)::int as entries,
      count(*) filter (where ${signInNetworks.network} not like '%/%')::int as names, false as "isGateway"
    from ${signInNetworks}
    where ${signInNetworks.lastSeenAt} > statement_timestamp() - interval '1 day'
      and ${signInNetworks.network} !~ '^(127\\.|::/|unknown$)'
    group by 1`);
}
