import { createTtlCache } from "#server/core/shared/caches.ts";

/** Who runs a mail server: a name from the tables below or from the `mail_providers` setting. */
export type MailProvider = string;

/** Domains of the providers' own users. */
const DOMAINS: Record<string, MailProvider> = {
  ...named("google", "gmail.com googlemail.com"),
  ...named("outlook", "outlook.com hotmail.com live.com msn.com outlook.de hotmail.co.uk"),
  ...named("yahoo", "yahoo.com ymail.com rocketmail.com aol.com yahoo.co.uk yahoo.fr yahoo.de"),
  ...named("apple", "icloud.com me.com mac.com"),
  ...named("gmx", "gmx.de gmx.net gmx.at gmx.ch web.de mail.com gmx.com"),
  ...named("proton", "proton.me protonmail.com pm.me"),
};

/**
 * Suffixes of mail servers' names. All domains that use one provider share its limits. The longest suffix wins:
 * Outlook.com and Microsoft 365 judge senders separately.
 */
const HOSTS: Record<string, MailProvider> = {
  ...named("google", "google.com googlemail.com"),
  ...named("outlook", "olc.protection.outlook.com"),
  ...named("microsoft", "outlook.com mx.microsoft"),
  ...named("yahoo", "yahoodns.net"),
  ...named("apple", "mail.icloud.com"),
  ...named("gmx", "gmx.net web.de mail.com"),
  ...named("ionos", "kundenserver.de ionos.com ionos.de ionos.co.uk ionos.fr ionos.es ionos.it"),
  ...named("proton", "protonmail.ch"),
  ...named("proofpoint", "pphosted.com ppe-hosted.com"),
  ...named("mimecast", "mimecast.com mimecast.co.za mimecast-offshore.com"),
  ...named("barracuda", "barracudanetworks.com"),
  ...named("cisco", "iphmx.com"),
  ...named("symantec", "messagelabs.com"),
  ...named("sophos", "hydra.sophos.com"),
  ...named("trendmicro", "hes.trendmicro.com hes.trendmicro.eu"),
  ...named("hornetsecurity", "hornetsecurity.com antispameurope.com"),
  ...named("fastmail", "messagingengine.com"),
  ...named("zoho", "zoho.com zoho.eu zoho.in"),
  ...named("mailru", "mail.ru"),
  ...named("yandex", "mx.yandex.net mx.yandex.ru"),
  ...named("comcast", "comcast.net"),
  ...named("tonline", "t-online.de"),
  ...named("orange", "orange.fr"),
  ...named("ovh", "ovh.net"),
  ...named("godaddy", "secureserver.net"),
  ...named("rackspace", "emailsrvr.com"),
  ...named("cloudflare", "mx.cloudflare.net"),
};

/** Providers by suffixes of mail servers' names, from the `mail_providers` setting. They take precedence over the table. */
export type MailProviders = Readonly<Record<string, MailProvider>>;

/** Reads the `mail_providers` setting, such as `mx.example.net=example,example.org=example`. */
export function readMailProviders(setting: string): MailProviders {
  if (setting === "none") return {};
  const pairs = setting.split(",").map((pair) => pair.split("=", 2) as [string, MailProvider]);
  return Object.fromEntries(pairs);
}

/**
 * The provider that receives a domain's mail; null if it is unknown or the preferred hosts belong to several.
 *
 * @param hosts the mail servers of the domain
 */
export function providerOfHosts(
  hosts: { name: string; preference: number }[],
  custom: MailProviders = {},
): MailProvider | null {
  const best = Math.min(...hosts.map(({ preference }) => preference));
  const providers = hosts
    .filter(({ preference }) => preference === best)
    .map(({ name }) => providerOfHost(name, custom));
  const [first = null] = providers;
  return providers.every((provider) => provider === first) ? first : null;
}

const providerOfHost = (host: string, custom: MailProviders): MailProvider | null =>
  findBySuffix(host, custom) ?? findBySuffix(host, HOSTS);

/** Looks up the host, then each domain above it. */
function findBySuffix(host: string, table: Readonly<Record<string, MailProvider>>) {
  for (let name = host; name !== ""; name = name.slice(name.indexOf(".") + 1 || name.length))
    if (Object.hasOwn(table, name)) return table[name]!;
  return null;
}

// A destination's provider is known once one of its mail servers has replied.
const learned = createTtlCache<MailProvider>({ max: 5_000, ttlMs: 24 * 3_600_000 });

/**
 * The provider of a destination, for `/metrics`.
 *
 * @param host the mail server that replied, if one did
 */
export function mailProvider(destination: string, host?: string | null): MailProvider {
  const known = DOMAINS[destination] ?? learned.get(destination);
  if (known) return known;
  if (!host) return "other";
  const provider = providerOfHost(host.toLowerCase().replace(/\.$/, ""), {}) ?? "other";
  if (provider !== "other") learned.set(destination, provider);
  return provider;
}

function named(provider: MailProvider, names: string): Record<string, MailProvider> {
  return Object.fromEntries(names.split(" ").map((name) => [name, provider]));
}
