import { isIPv4 } from "node:net";

import ipaddr from "ipaddr.js";

import type { Answer, Resolver } from "#server/gateways/dns.ts";
import { ask } from "#server/gateways/dns.ts";
import { isPublicAddress } from "#server/gateways/public-address.ts";

import { reversedAddress } from "#server/core/mail/spam/reversed-address.ts";

type Dns = Pick<Resolver, "resolve" | "a" | "aaaa">;

const NAMES_MAX = 3;
const TIMEOUT_MS = 4_000;

/**
 * The reverse DNS name of an address if it resolves back to the address (RFC 8601, 2.7.3). Null otherwise, after four
 * seconds, and for private addresses.
 */
export async function findHostName(dns: Dns, address: string): Promise<string | null> {
  if (!isPublicAddress(address)) return null;
  const over = Promise.withResolvers<null>();
  const timer = setTimeout(() => over.resolve(null), TIMEOUT_MS);
  try {
    return await Promise.race([findConfirmedName(dns, address), over.promise]);
  } finally {
    clearTimeout(timer);
  }
}

async function findConfirmedName(dns: Dns, address: string): Promise<string | null> {
  const { labels, zone } = reversedAddress(address);
  const names = await ask(async () => (await dns.resolve(`${labels}.${zone}`, "PTR")) as string[]);
  const meant = ipaddr.process(address).toString();
  for (const name of records(names).slice(0, NAMES_MAX)) {
    const addresses = records(await (isIPv4(meant) ? dns.a(name) : dns.aaaa(name)));
    if (addresses.some((one) => ipaddr.process(one).toString() === meant)) return name;
  }
  return null;
}

const records = (answer: Answer<string>) => (answer.kind === "found" ? answer.records : []);
