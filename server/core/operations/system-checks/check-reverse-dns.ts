import { isIPv6 } from "node:net";

import { type Config, sourceAddresses } from "#server/config.ts";
import { reversedAddress } from "#server/core/mail/spam/find-listing.ts";
import { ask, type Resolver } from "#server/gateways/dns.ts";
import { outgoingAddresses } from "#server/gateways/outgoing-address.ts";
import { isPublicAddress } from "#server/gateways/public-address.ts";

import { failed, type Finding, combineFindings, ok, unknown, warning } from "./finding.ts";
import { lookUpAddresses } from "./check-inbound-port.ts";

const PART = "reverse DNS";

type Settings = Pick<Config, "hostname" | "localMode" | "relay" | "outboundSources">;
type Dns = Pick<Resolver, "a" | "aaaa" | "resolve">;

/**
 * Checks that the reverse DNS of the outgoing addresses is the hostname, or at least resolves back to them
 * (`iprev`, RFC 8601, 3). Large providers reject mail otherwise.
 *
 * @param outgoing source addresses of outgoing connections, if known
 */
export async function checkReverseDns(
  { hostname, localMode, relay, outboundSources }: Settings,
  dns: Dns,
  outgoing?: string[],
): Promise<Finding> {
  if (localMode)
    return unknown(
      PART,
      "Local mode has no public hostname to check",
      "Set POSTHOUSE_HOSTNAME to this server's public hostname",
    );
  if (relay) return ok(PART, `All mail is sent through ${relay.host}, so its reverse DNS counts`);
  if (outboundSources.length > 0)
    return combineFindings(PART, await checkSources(dns, hostname, outboundSources));
  const own = outgoing ?? (await outgoingAddresses());
  const addresses = own.length > 0 ? own : await lookUpPublicAddresses(dns, hostname);
  if (addresses.length === 0)
    return unknown(
      PART,
      `Can't determine this server's public address: ${hostname} doesn't resolve to one`,
      `Add an A record for ${hostname} with this server's public address`,
    );
  const findings = addresses.map((address) => checkAddress(dns, hostname, address));
  return combineFindings(PART, [
    ...(await checkUsable(dns, hostname, addresses)),
    ...(await Promise.all(findings)),
  ]);
}

/** IPv6 addresses without a matching PTR record aren't used, so a server with nothing else delivers no mail. */
async function checkUsable(dns: Dns, name: string, addresses: string[]): Promise<Finding[]> {
  if (!addresses.every(isIPv6)) return [];
  const named = await Promise.all(addresses.map((address) => hasReverseName(dns, name, address)));
  if (named.some((isNamed) => isNamed !== false)) return [];
  return [
    failed(
      PART,
      `No mail is delivered from ${name}: it has no IPv4 address, and no IPv6 address with a matching PTR record`,
      `Set the reverse DNS (PTR) record of ${addresses.join(" or ")} to ${name}, or give this server an IPv4 address`,
    ),
  ];
}

/** The domains' SPF records name the hostname, so it must resolve to every address that mail is sent from. */
async function checkSources(
  dns: Dns,
  hostname: string,
  sources: Config["outboundSources"],
): Promise<Finding[]> {
  const usable = sources.map((source) => checkUsable(dns, source.name, sourceAddresses([source])));
  const checked = sources.flatMap((source) =>
    sourceAddresses([source]).flatMap((address) => [
      checkAddress(dns, source.name, address),
      checkSpfCovers(dns, hostname, address),
    ]),
  );
  return [...(await Promise.all(usable)).flat(), ...(await Promise.all(checked))];
}

async function checkSpfCovers(dns: Dns, hostname: string, address: string): Promise<Finding> {
  if (await resolvesTo(dns, hostname, address))
    return ok(PART, `SPF records that name ${hostname} allow ${address}`);
  return failed(
    PART,
    `${hostname} doesn't resolve to ${address}, so the SPF records of your domains don't allow it`,
    `Add ${address} to the ${address.includes(":") ? "AAAA" : "A"} records of ${hostname}`,
  );
}

/**
 * Whether an address has a name as its reverse DNS, and the name resolves back to it. Null if a lookup failed.
 */
export async function hasReverseName(
  dns: Dns,
  name: string,
  address: string,
): Promise<boolean | null> {
  const answer = await reverseNames(dns, address);
  if (answer.kind === "failed") return null;
  const names = answer.kind === "found" ? answer.records : [];
  const isNamed = names.some((one) => one.toLowerCase() === name);
  return isNamed && resolvesTo(dns, name, address);
}

function reverseNames(dns: Dns, address: string) {
  const { labels, zone } = reversedAddress(address);
  return ask(() => dns.resolve(`${labels}.${zone}`, "PTR") as Promise<string[]>);
}

/** The public addresses that a hostname resolves to. A server behind NAT can't read them from its own interfaces. */
export const lookUpPublicAddresses = async (dns: Dns, hostname: string) =>
  ((await lookUpAddresses(dns, hostname)) ?? []).filter((address) => isPublicAddress(address));

async function checkAddress(dns: Dns, hostname: string, address: string): Promise<Finding> {
  const answer = await reverseNames(dns, address);
  const advice = `Set the reverse DNS (PTR) record of ${address} to ${hostname} at your hosting or internet provider`;
  const command = `dig +short -x ${address}`;
  if (answer.kind === "failed")
    return unknown(
      PART,
      `The reverse DNS lookup of ${address} failed (${answer.reason})`,
      "Run the check again later",
      { command },
    );
  if (answer.kind !== "found")
    return failed(
      PART,
      `${address} has no reverse DNS, so large providers reject its mail`,
      advice,
      {
        command,
      },
    );
  const names = answer.records.map((name) => name.toLowerCase());
  const leadBack = await Promise.all(names.map((name) => resolvesTo(dns, name, address)));
  const confirmed = names.filter((_, i) => leadBack[i]);
  if (confirmed.includes(hostname))
    return ok(PART, `The reverse DNS of ${address} is ${hostname}, which resolves back to it`, {
      command,
    });
  if (names.includes(hostname))
    return failed(
      PART,
      `The reverse DNS of ${address} is ${hostname}, which doesn't resolve back to it`,
      `Add ${address} to the A or AAAA records of ${hostname}`,
      { command },
    );
  return confirmed.length > 0
    ? warning(PART, `The reverse DNS of ${address} is ${confirmed[0]!}, not ${hostname}`, advice, {
        command,
      })
    : failed(
        PART,
        `The reverse DNS of ${address} is ${names[0]!}, which doesn't resolve back to it`,
        advice,
        {
          command,
        },
      );
}

async function resolvesTo(dns: Dns, name: string, address: string): Promise<boolean> {
  const found = (await lookUpAddresses(dns, name)) ?? [];
  const { labels } = reversedAddress(address);
  return found.some((other) => reversedAddress(other).labels === labels);
}
