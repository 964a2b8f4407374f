import type { DnsProvider, DomainRecord, SetupAccess } from "./queries.ts";

type Record = Pick<DomainRecord, "type" | "name" | "host" | "value">;

/** Maximum bytes of one string in a TXT record (RFC 1035, 3.3). Our values are ASCII. */
const STRING_MAX = 255;

/** What to enter as the record's host; empty for providers that name the domain itself this way. */
export function hostField(
  { name, host }: Pick<Record, "name" | "host">,
  provider: DnsProvider | null,
): string {
  if (provider?.takesFullNames) return name;
  return host === "@" ? (provider?.apex ?? host) : host;
}

/** What to enter as the record's value. */
export function valueField({ type, value }: Record, provider: DnsProvider | null): string {
  if (type !== "TXT") return provider?.wantsFinalDot ? `${value}.` : value;
  if (!provider?.wantsQuotes || value === "") return value;
  const strings = value.match(new RegExp(`.{1,${STRING_MAX}}`, "gs")) ?? [];
  return strings.map((text) => `"${text.replace(/["\\]/g, "\\$&")}"`).join(" ");
}

/** A DNS provider with an API that can publish the records. */
export type PublishingHost = {
  id: SetupAccess["provider"];
  name: string;
  /** Where to create the token. */
  url: string;
  /** What it must allow. */
  hint: string;
};

const DNS_HOSTS: PublishingHost[] = [
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
export const findDnsHost = (providerId: string | undefined): PublishingHost | null =>
  DNS_HOSTS.find(({ id }) => id === providerId) ?? null;
