import { type Config, sourceAddresses } from "#server/config.ts";
import { reversedAddress } from "#server/core/mail/spam/find-listing.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import { outgoingAddresses } from "#server/gateways/outgoing-address.ts";
import { isPublicAddress } from "#server/gateways/public-address.ts";

import { lookUpAddresses } from "./check-inbound-port.ts";
import { combineFindings, failed, type Finding, ok, unknown } from "./finding.ts";

const PART = "blocklists";

/** Lists that large providers use, with the page that explains and removes an entry. */
const BLOCKLISTS = [
  { zone: "zen.spamhaus.org", page: "https://check.spamhaus.org" },
  { zone: "bl.spamcop.net", page: "https://www.spamcop.net/bl.shtml" },
  { zone: "psbl.surriel.com", page: "https://psbl.org" },
];

type Settings = Pick<Config, "hostname" | "localMode" | "relay" | "outboundSources">;
type Dns = Pick<Resolver, "a" | "aaaa">;
type Blocklist = (typeof BLOCKLISTS)[number];

/**
 * Looks up the outgoing addresses on DNS blocklists (RFC 5782). A list that rejects the resolver's queries is `unknown`.
 *
 * @param outgoing source addresses of outgoing connections, if known
 */
export async function checkBlocklists(
  { hostname, localMode, relay, outboundSources }: Settings,
  dns: Dns,
  { outgoing, lists = BLOCKLISTS }: { outgoing?: string[]; lists?: Blocklist[] } = {},
): Promise<Finding> {
  if (localMode) return ok(PART, "Local mode sends no mail to the internet");
  if (relay) return ok(PART, `All mail is sent through ${relay.host}, so its address counts`);
  const addresses = await findAddresses(dns, { hostname, outboundSources }, outgoing);
  if (addresses.length === 0)
    return unknown(
      PART,
      `Can't determine this server's public address: ${hostname} doesn't resolve to one`,
      `Add an A record for ${hostname} with this server's public address`,
    );
  const findings = addresses.flatMap((address) =>
    lists.map((list) => checkListing(dns, address, list)),
  );
  const all = await Promise.all(findings);
  if (all.every(({ state }) => state === "ok"))
    return ok(
      PART,
      `${addresses.join(" and ")} isn't on ${lists.map(({ zone }) => zone).join(", ")}`,
    );
  return combineFindings(PART, all);
}

/** The configured addresses, else those that the system chooses, else those of the hostname. */
async function findAddresses(
  dns: Dns,
  { hostname, outboundSources }: Pick<Settings, "hostname" | "outboundSources">,
  outgoing?: string[],
): Promise<string[]> {
  if (outboundSources.length > 0) return sourceAddresses(outboundSources);
  const own = outgoing ?? (await outgoingAddresses());
  if (own.length > 0) return own;
  return ((await lookUpAddresses(dns, hostname)) ?? []).filter((each) => isPublicAddress(each));
}

async function checkListing(
  dns: Dns,
  address: string,
  { zone, page }: Blocklist,
): Promise<Finding> {
  const name = `${reversedAddress(address).labels}.${zone}`;
  const answer = await dns.a(name);
  const command = `dig +short ${name}`;
  if (answer.kind === "no_name" || answer.kind === "no_data")
    return ok(PART, `${address} isn't on ${zone}`);
  const codes = answer.kind === "found" ? answer.records : [];
  if (codes.some(isListing))
    return failed(
      PART,
      `${address} is on ${zone} (${codes.join(", ")}), so many servers reject its mail`,
      `Look up the reason and request removal at ${page}`,
      { command },
    );
  return unknown(
    PART,
    `${zone} doesn't answer this server's resolver`,
    `Blocklists reject queries from large public resolvers. Look up ${address} at ${page}`,
    { command },
  );
}

/** 127.255.255.0/24 is an error code; anything outside 127.0.0.0/8 is a resolver that redirects. */
const isListing = (record: string) =>
  record.startsWith("127.") && !record.startsWith("127.255.255.");
