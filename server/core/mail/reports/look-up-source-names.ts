import ipaddr from "ipaddr.js";

import { domainDns } from "#server/core/domains/domains/dns.ts";
import { ask, type Resolver } from "#server/gateways/dns.ts";

/** Beyond the busiest, names tell little and cost as much. */
const LOOKUPS_MAX = 25;
/** Somebody waits for the page: what is not known by then is shown without a name. */
const TIMEOUT_MS = 1_500;

/**
 * The names of servers by their addresses, of the first 25. Whoever runs an address may give it any
 * name, so one counts only if it leads back to the address (RFC 8601, 3: `iprev`).
 */
export async function lookUpSourceNames(
  addresses: string[],
  resolver: Pick<Resolver, "resolve" | "a" | "aaaa"> = domainDns().resolver,
): Promise<Map<string, string>> {
  const names = new Map<string, string>();
  const all = addresses.slice(0, LOOKUPS_MAX).map(async (address) => {
    const name = await lookUpName(address, resolver);
    if (name !== null) names.set(address, name);
  });
  let timer: NodeJS.Timeout | undefined;
  const patience = new Promise((resolve) => (timer = setTimeout(resolve, TIMEOUT_MS)));
  await Promise.race([Promise.all(all), patience]);
  clearTimeout(timer);
  return new Map(names);
}

async function lookUpName(
  address: string,
  resolver: Pick<Resolver, "resolve" | "a" | "aaaa">,
): Promise<string | null> {
  if (!ipaddr.isValid(address)) return null;
  const parsed = ipaddr.parse(address);
  const question = () => resolver.resolve(reverseName(parsed), "PTR") as Promise<string[]>;
  const pointers = await ask(question);
  const name = pointers.kind === "found" ? pointers.records[0] : undefined;
  if (name === undefined) return null;
  const found = await (parsed.kind() === "ipv4" ? resolver.a(name) : resolver.aaaa(name));
  const isOwn =
    found.kind === "found" &&
    found.records.some(
      (other) => ipaddr.isValid(other) && ipaddr.parse(other).toString() === parsed.toString(),
    );
  return isOwn ? name.toLowerCase() : null;
}

/** Where the name of an address stands (RFC 1035, 3.5; RFC 3596, 2.5). */
function reverseName(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  const bytes = address.toByteArray();
  if (address.kind() === "ipv4") return `${bytes.toReversed().join(".")}.in-addr.arpa`;
  const digits = Buffer.from(bytes).toString("hex").split("");
  return `${digits.toReversed().join(".")}.ip6.arpa`;
}
