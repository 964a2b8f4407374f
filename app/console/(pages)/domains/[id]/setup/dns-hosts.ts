import type { SetupAccess } from "#app/console/(pages)/domains/queries.ts";

type DnsHost = {
  id: SetupAccess["provider"];
  name: string;
  /** Where to create the token. */
  url: string;
  /** What it must allow. */
  hint: string;
};

const DNS_HOSTS: DnsHost[] = [
  {
    id: "cloudflare",
    name: "Cloudflare",
    url: "https://dash.cloudflare.com/profile/api-tokens",
    hint: "Use the template Edit zone DNS, limited to this zone.",
  },
  {
    id: "digitalocean",
    name: "DigitalOcean",
    url: "https://cloud.digitalocean.com/account/api/tokens",
    hint: "Choose custom scopes and select all domain scopes.",
  },
  {
    id: "hetzner",
    name: "Hetzner",
    url: "https://console.hetzner.com",
    hint: "Open the project of the zone, then Security and API tokens. Choose Read & Write.",
  },
];

/** The provider, if records can be published through its API. */
export const findDnsHost = (providerId: string | undefined): DnsHost | null =>
  DNS_HOSTS.find(({ id }) => id === providerId) ?? null;

export type { DnsHost };
