import type { Config } from "#server/config.ts";
import { reversedAddress } from "#server/core/mail/spam/reversed-address.ts";
import { ask, type Resolver } from "#server/gateways/dns.ts";
import { outgoingAddresses } from "#server/gateways/outgoing-address.ts";
import { isPublicAddress } from "#server/gateways/public-address.ts";

import { failed, type Finding, joined, ok, unknown, warning } from "./finding.ts";
import { addressesOf } from "./look-at-port-in.ts";

const PART = "reverse DNS";

type Settings = Pick<Config, "hostname" | "localMode" | "relay">;
type Dns = Pick<Resolver, "a" | "aaaa" | "resolve">;

/**
 * Whether the addresses that mail leaves from have a name, the host name at best, that leads back to
 * them: large receivers refuse mail from others (RFC 8601, 3, calls it `iprev`).
 *
 * @param outgoing where connections come from, as far as this machine knows
 */
export async function lookAtReverseDns(
  { hostname, localMode, relay }: Settings,
  dns: Dns,
  outgoing?: string[],
): Promise<Finding> {
  if (localMode)
    return unknown(
      PART,
      "In local mode there is no host name to compare with",
      "Set POSTHOUSE_HOSTNAME to the host name that mail should come from",
    );
  if (relay) return ok(PART, `Mail leaves through ${relay.host}: the name of its address counts`);
  const own = outgoing ?? (await outgoingAddresses());
  const addresses = own.length > 0 ? own : await publicAddressesOf(dns, hostname);
  if (addresses.length === 0)
    return unknown(
      PART,
      `The public address of this server is not known: ${hostname} does not lead to one`,
      `Add an A record for ${hostname} with this server’s public address`,
    );
  const findings = addresses.map((address) => lookAtAddress(dns, hostname, address));
  return joined(PART, await Promise.all(findings));
}

const publicAddressesOf = async (dns: Dns, hostname: string) =>
  ((await addressesOf(dns, hostname)) ?? []).filter((address) => isPublicAddress(address));

async function lookAtAddress(dns: Dns, hostname: string, address: string): Promise<Finding> {
  const { labels, zone } = reversedAddress(address);
  const answer = await ask(() => dns.resolve(`${labels}.${zone}`, "PTR") as Promise<string[]>);
  const advice = `Set the reverse DNS (PTR) of ${address} to ${hostname} where you rent the server or the connection`;
  const command = `dig +short -x ${address}`;
  if (answer.kind === "failed")
    return unknown(
      PART,
      `The DNS did not answer what ${address} is called (${answer.reason})`,
      "Check again later",
      { command },
    );
  if (answer.kind !== "found")
    return failed(PART, `${address} has no name, so large receivers refuse its mail`, advice, {
      command,
    });
  const names = answer.records.map((name) => name.toLowerCase());
  const leadBack = await Promise.all(names.map((name) => leadsTo(dns, name, address)));
  const confirmed = names.filter((_, i) => leadBack[i]);
  if (confirmed.includes(hostname))
    return ok(PART, `${address} is called ${hostname}, and the name leads back`, { command });
  if (names.includes(hostname))
    return failed(
      PART,
      `${address} is called ${hostname}, but the name does not lead back`,
      `Add ${address} to the A or AAAA records of ${hostname}`,
      { command },
    );
  return confirmed.length > 0
    ? warning(PART, `${address} is called ${confirmed[0]!}, not ${hostname}`, advice, { command })
    : failed(PART, `${address} is called ${names[0]!}, which does not lead back to it`, advice, {
        command,
      });
}

async function leadsTo(dns: Dns, name: string, address: string): Promise<boolean> {
  const found = (await addressesOf(dns, name)) ?? [];
  const { labels } = reversedAddress(address);
  return found.some((other) => reversedAddress(other).labels === labels);
}
