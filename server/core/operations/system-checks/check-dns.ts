import { getServers } from "node:dns";

import type { Config } from "#server/config.ts";
import { ask, formatServer, type Resolver } from "#server/gateways/dns.ts";

import { failed, type Finding, ok, warning } from "./finding.ts";

const PART = "DNS";

/** Large public resolvers, whose queries blocklists reject. */
const PUBLIC_RESOLVERS =
  /^(8\.8\.(8\.8|4\.4)|1\.(1\.1\.1|0\.0\.1)|9\.9\.9\.\d+|149\.112\.112\.\d+|208\.67\.22[02]\.22[02]|94\.140\.1[45]\.\d+|2001:4860:4860::88[48][48]|2606:4700:4700::1(111|001)|2620:fe::)/;

/** The test entry of every IPv4 blocklist (RFC 5782, 5). */
const TEST_ENTRY = "2.0.0.127";

/**
 * Checks that the resolver works and that the blocklists answer it.
 *
 * @param zones blocklists that senders are looked up on
 */
export async function checkDns(
  { dnsServers, localMode }: Pick<Config, "dnsServers" | "localMode">,
  resolver: Pick<Resolver, "resolve" | "a">,
  zones: string[],
): Promise<Finding> {
  const servers = dnsServers?.map(formatServer) ?? getServers();
  const names = servers.join(", ") || "The system resolver";
  const answer = await ask(() => resolver.resolve(".", "NS") as Promise<string[]>);
  if (answer.kind === "failed") {
    const found = `${names} doesn't respond (${answer.reason})`;
    const advice =
      "Mail to other servers can't be delivered without DNS. Set POSTHOUSE_DNS to a working resolver";
    return localMode ? warning(PART, found, advice) : failed(PART, found, advice);
  }
  const refusing = await findRefusing(resolver, zones);
  if (refusing.length > 0)
    return warning(
      PART,
      `${names} responds, but senders can't be looked up on ${refusing.join(", ")}`,
      "Blocklists reject queries from large public resolvers. Run your own, such as unbound, and set POSTHOUSE_DNS to it",
    );
  const isPublic = servers.some((server) => PUBLIC_RESOLVERS.test(server.replace(/^\[/, "")));
  const remark = isPublic
    ? ". It's a public resolver, and most blocklists reject queries from those"
    : "";
  return ok(PART, `${names} responds${remark}`);
}

async function findRefusing(resolver: Pick<Resolver, "a">, zones: string[]): Promise<string[]> {
  const answers = await Promise.all(zones.map((zone) => resolver.a(`${TEST_ENTRY}.${zone}`)));
  return zones.filter((_, i) => {
    const answer = answers[i]!;
    return answer.kind !== "found" || !answer.records.some(isListing);
  });
}

/** 127.255.255.0/24 is an error code. */
const isListing = (record: string) =>
  record.startsWith("127.") && !record.startsWith("127.255.255.");
