import type { SetupAccess } from "#app/console/(pages)/domains/queries.ts";

type DnsHost = {
  id: SetupAccess["provider"];
  name: string;
  /** Where to create the credentials. */
  url: string;
  /** What they must allow. */
  hint: string;
  tokenLabel: string;
  keyIdLabel?: string;
};

const TOKEN = "API token";

const DNS_HOSTS: DnsHost[] = [
  {
    ...{ id: "cloudflare", name: "Cloudflare", tokenLabel: TOKEN },
    url: "https://dash.cloudflare.com/profile/api-tokens",
    hint: "Use the template Edit zone DNS, limited to this zone.",
  },
  {
    ...{ id: "digitalocean", name: "DigitalOcean", tokenLabel: TOKEN },
    url: "https://cloud.digitalocean.com/account/api/tokens",
    hint: "Choose custom scopes and select all domain scopes.",
  },
  {
    ...{ id: "hetzner", name: "Hetzner", tokenLabel: TOKEN },
    url: "https://console.hetzner.com",
    hint: "Open the project of the zone, then Security and API tokens. Choose Read & Write.",
  },
  {
    ...{ id: "route53", name: "Route 53" },
    ...{ keyIdLabel: "Access key ID", tokenLabel: "Secret access key" },
    url: "https://console.aws.amazon.com/iam",
    hint: "The user needs ListHostedZonesByName, ListResourceRecordSets and ChangeResourceRecordSets of Route 53.",
  },
];

/** The provider, if records can be published through its API. */
export const findDnsHost = (providerId: string | undefined): DnsHost | null =>
  DNS_HOSTS.find(({ id }) => id === providerId) ?? null;

export type { DnsHost };
