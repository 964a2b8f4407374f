import type { LookupFunction } from "node:net";

import type { Cidr } from "#server/config.ts";

import type { Answer, Resolver } from "./dns.ts";
import { OutgoingFailure } from "./outgoing-http-failure.ts";
import { isPublicAddress } from "./public-address.ts";

/** Per address family. A name with a hundred dead addresses must not take long. */
const ADDRESSES_MAX = 3;

/**
 * The lookup function of connections: one lookup, all addresses checked, and exactly these passed to the
 * socket. Prevents DNS rebinding, where a name returns one address to the check and another to the
 * connection.
 */
export function guardedLookup(resolver: Resolver, allowedPrivate: Cidr[]): LookupFunction {
  return (hostname, _options, callback) => {
    findAddresses(resolver, hostname, allowedPrivate).then(
      (addresses) => callback(null, addresses),
      (error: unknown) => callback(error as Error, []),
    );
  };
}

async function findAddresses(resolver: Resolver, hostname: string, allowedPrivate: Cidr[]) {
  const families = await lookUp(resolver, hostname);
  const found = families.flatMap(({ answer }) => recordsOf(answer));
  if (!found.every((address) => isPublicAddress(address, allowedPrivate)))
    throw new OutgoingFailure("private_address");
  if (found.length === 0) {
    const hasFailed = families.some(({ answer }) => answer.kind === "failed");
    throw new OutgoingFailure(hasFailed ? "EAI_AGAIN" : "ENOTFOUND");
  }
  return families.flatMap(({ family, answer }) =>
    recordsOf(answer)
      .slice(0, ADDRESSES_MAX)
      .map((address) => ({ address, family })),
  );
}

async function lookUp(resolver: Resolver, hostname: string) {
  // Loopback names are never queried (RFC 6761 §6.3).
  const isLoopback = /(^|\.)localhost$/.test(hostname);
  const loopback: Answer<string> = { kind: "found", records: ["127.0.0.1"] };
  const nothing: Answer<string> = { kind: "no_data" };
  const [v4, v6] = isLoopback
    ? [loopback, nothing]
    : await Promise.all([resolver.a(hostname), resolver.aaaa(hostname)]);
  return [
    { family: 4, answer: v4 },
    { family: 6, answer: v6 },
  ];
}

const recordsOf = (answer: Answer<string>) => (answer.kind === "found" ? answer.records : []);
