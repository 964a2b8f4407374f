import ipaddr from "ipaddr.js";

import type { Resolver } from "#server/gateways/dns.ts";
import { isPublicAddress } from "#server/gateways/public-address.ts";

/**
 * The first of the DNS blocklists that has the address (RFC 5782), or null. Addresses that are not
 * public are never asked about.
 */
export async function findListing(
  resolver: Pick<Resolver, "a">,
  clientAddress: string,
  zones: string[],
): Promise<string | null> {
  if (!isPublicAddress(clientAddress)) return null;
  const reversed = reverse(clientAddress);
  const answers = await Promise.all(
    zones.map(async (zone) => ({ zone, answer: await resolver.a(`${reversed}.${zone}`) })),
  );
  const listing = answers.find(
    ({ answer }) => answer.kind === "found" && answer.records.some(isListing),
  );
  return listing?.zone ?? null;
}

/** 127.255.255.0/24 says that the list was asked wrongly or too often. */
const isListing = (record: string) =>
  record.startsWith("127.") && !record.startsWith("127.255.255.");

function reverse(address: string): string {
  const parsed = ipaddr.process(address);
  if (parsed.kind() === "ipv4") return parsed.toString().split(".").reverse().join(".");
  return Buffer.from(parsed.toByteArray()).toString("hex").split("").reverse().join(".");
}
