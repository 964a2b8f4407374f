import ipaddr from "ipaddr.js";

import { domainDns } from "#server/core/domains/domains/sending-domains.ts";
import { ask, type Resolver } from "#server/gateways/dns.ts";

// The names of less busy servers aren't worth the lookups.
const LOOKUPS_MAX = 25;
// The page waits for this. Names that take longer are omitted.
const TIMEOUT_MS = 1_500;

/**
 * Looks up the hostnames of the first 25 addresses. A name counts only if it resolves back to the address, since
 * reverse DNS can claim any name (`iprev`, RFC 8601, 3).
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

/** The reverse DNS name of an address (RFC 1035, 3.5; RFC 3596, 2.5). */
function reverseName(address: ipaddr.IPv4 | ipaddr.IPv6): string {
  const bytes = address.toByteArray();
  if (address.kind() === "ipv4") return `${bytes.toReversed().join(".")}.in-addr.arpa`;
  const digits = Buffer.from(bytes).toString("hex").split("");
  return `${digits.toReversed().join(".")}.ip6.arpa`;
}
