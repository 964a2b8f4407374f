import { Refusal } from "#server/core/shared/refusals.ts";
import type { OutgoingHttp } from "#server/gateways/outgoing-http.ts";
import { providerHttp } from "#server/core/domains/domains/sending-domains.ts";
import {
  type DnsHost,
  DnsHostFailure,
  type HostedZone,
} from "#server/core/domains/dns-setup/dns-host.ts";
import { zoneNames } from "#server/core/domains/doctor/probe.ts";

import { cloudflare, digitalOcean, hetzner } from "./hosts.ts";

type Connect = (api: { http: OutgoingHttp }, token: string) => DnsHost;

/** The providers whose API we use, by the id in `doctor/providers.ts`. */
const DNS_HOSTS = {
  cloudflare: { name: "Cloudflare", connect: cloudflare },
  digitalocean: { name: "DigitalOcean", connect: digitalOcean },
  hetzner: { name: "Hetzner", connect: hetzner },
} satisfies Record<string, { name: string; connect: Connect }>;

export type DnsHostId = keyof typeof DNS_HOSTS;
export const DNS_HOST_IDS = Object.keys(DNS_HOSTS) as [DnsHostId, ...DnsHostId[]];

/**
 * Replaces the provider in tests.
 *
 * @param token used for one request and never stored or logged
 */
export type ConnectHost = (id: DnsHostId, token: string) => DnsHost;

export const connectHost: ConnectHost = (id, token) =>
  DNS_HOSTS[id].connect({ http: providerHttp() }, token);

/**
 * Opens the zone that contains a domain.
 *
 * @throws Refusal `invalid` if the provider rejects the token, doesn't have the zone, or fails
 */
export async function openZone(
  domain: string,
  { id, token, connect }: { id: DnsHostId; token: string; connect: ConnectHost },
): Promise<HostedZone> {
  const { name } = DNS_HOSTS[id];
  const zone = await connect(id, token)
    .openZone(zoneNames(domain))
    .catch((error: unknown) => {
      throw toRefusal(error, id);
    });
  if (zone) return zone;
  throw new Refusal(
    "invalid",
    `token: This ${name} account has no DNS zone for ${domain}, or the token may not use it.`,
  );
}

/** Says what failed, without anything that was sent to the provider. */
export const toRefusal = (error: unknown, id: DnsHostId): unknown =>
  error instanceof DnsHostFailure ? new Refusal("invalid", failureText(error, id)) : error;

export function failureText({ kind }: DnsHostFailure, id: DnsHostId): string {
  const { name } = DNS_HOSTS[id];
  switch (kind) {
    case "credentials":
      return `token: ${name} rejected the token. Check that it’s complete and may edit DNS records of the domain.`;
    case "rate_limit":
      return `${name} received too many requests. Try again in a few minutes`;
    case "unavailable":
      return `${name} didn’t respond. Try again in a few minutes`;
    case "rejected":
      return `${name} rejected the request`;
    case "zone_too_large":
      return `The zone at ${name} has too many records to be changed here. Create the records at ${name} instead`;
  }
}
