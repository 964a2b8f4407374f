import ipaddr from "ipaddr.js";

import { createTtlCache } from "#server/core/shared/caches.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import { isPublicAddress } from "#server/gateways/public-address.ts";

type Dns = Pick<Resolver, "a">;

// Listed clients reconnect at once, and the lists' own TTLs are about as long.
const CACHE_TTL_MS = 5 * 60_000;

const CACHE_ENTRIES_MAX = 10_000;

// The client waits for the reply to RCPT. A list that doesn't answer in time is ignored.
const TIMEOUT_MS = 5_000;

/** By resolver, then by DNS name. */
const cache = new WeakMap<Dns, ReturnType<typeof createTtlCache<boolean>>>();

/**
 * The first DNS blocklist that lists the address (RFC 5782), or null. Takes at most five seconds and caches answers
 * for five minutes. Private addresses aren't looked up.
 *
 * @param zones for example `bl.example.org`, by priority
 */
export async function findListing(
  resolver: Dns,
  clientAddress: string,
  zones: string[],
): Promise<string | null> {
  if (zones.length === 0 || !isPublicAddress(clientAddress)) return null;
  const { labels } = reversedAddress(clientAddress);
  const answers = await Promise.all(zones.map((zone) => isListed(resolver, `${labels}.${zone}`)));
  return zones.find((_, i) => answers[i]) ?? null;
}

async function isListed(resolver: Dns, name: string): Promise<boolean> {
  const answers =
    cache.get(resolver) ?? createTtlCache<boolean>({ max: CACHE_ENTRIES_MAX, ttlMs: CACHE_TTL_MS });
  cache.set(resolver, answers);
  const known = answers.get(name);
  if (known !== undefined) return known;
  const answer = await withTimeout(resolver.a(name));
  if (answer.kind === "failed") return false;
  const isListed = answer.kind === "found" && answer.records.some(isListing);
  answers.set(name, isListed);
  return isListed;
}

async function withTimeout(asked: ReturnType<Dns["a"]>): ReturnType<Dns["a"]> {
  const over = Promise.withResolvers<Awaited<ReturnType<Dns["a"]>>>();
  const timer = setTimeout(() => over.resolve({ kind: "failed", reason: "TIMEOUT" }), TIMEOUT_MS);
  try {
    return await Promise.race([asked, over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

/**
 * Lists answer with an address in 127.0.0.0/8. 127.255.255.0/24 means that the query was rejected, usually because it
 * came from a public resolver. Other addresses come from the new owners of an abandoned list's domain.
 */
const isListing = (record: string) =>
  record.startsWith("127.") && !record.startsWith("127.255.255.");

/**
 * Reverses an address for DNS lookups (RFC 1035, 3.5; RFC 3596, 2.5): `7.100.51.198`, or the 32 reversed hex digits of
 * an IPv6 address separated by dots. Treats IPv4-mapped addresses as IPv4.
 *
 * @param address must be valid
 */
export function reversedAddress(address: string): {
  labels: string;
  zone: "in-addr.arpa" | "ip6.arpa";
} {
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4")
    return { labels: parsed.toString().split(".").reverse().join("."), zone: "in-addr.arpa" };
  const digits = parsed.toByteArray().map((byte) => byte.toString(16).padStart(2, "0"));
  return { labels: digits.join("").match(/./g)!.reverse().join("."), zone: "ip6.arpa" };
}
