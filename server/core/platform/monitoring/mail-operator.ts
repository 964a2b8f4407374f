import { createTtlCache } from "#server/core/shared/ttl-cache.ts";

/** Who runs a mail server: a name from the tables below or from the `mail_operators` setting. */
export type MailOperator = string;

/** The operators' own mailbox domains. */
const DOMAINS: Record<string, MailOperator> = {
  ...named("google", "gmail.com googlemail.com"),
  ...named("outlook", "outlook.com hotmail.com live.com msn.com outlook.de hotmail.co.uk"),
  ...named("yahoo", "yahoo.com ymail.com rocketmail.com aol.com yahoo.co.uk yahoo.fr yahoo.de"),
  ...named("apple", "icloud.com me.com mac.com"),
  ...named("gmx", "gmx.de gmx.net gmx.at gmx.ch web.de mail.com gmx.com"),
  ...named("proton", "proton.me protonmail.com pm.me"),
};

/**
 * Suffixes of mail hosts. Domains with hosts of one operator share its limits. The longest suffix wins:
 * Outlook.com and Microsoft 365 judge senders separately.
 */
const HOSTS: Record<string, MailOperator> = {
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

/** Suffixes of mail hosts with their operators, as in the `mail_operators` setting. They win over the table. */
export type OwnOperators = Readonly<Record<string, MailOperator>>;

/** Reads the `mail_operators` setting, such as `mx.example.net=example,example.org=example`. */
export function readOwnOperators(setting: string): OwnOperators {
  if (setting === "none") return {};
  const pairs = setting.split(",").map((pair) => pair.split("=", 2) as [string, MailOperator]);
  return Object.fromEntries(pairs);
}

/**
 * The operator that receives a domain's mail; null if it is unknown, or the preferred hosts have several.
 *
 * @param hosts the mail hosts of the domain
 */
export function operatorOfHosts(
  hosts: { name: string; preference: number }[],
  own: OwnOperators = {},
): MailOperator | null {
  const best = Math.min(...hosts.map(({ preference }) => preference));
  const operators = hosts
    .filter(({ preference }) => preference === best)
    .map(({ name }) => operatorOfHost(name, own));
  const [first = null] = operators;
  return operators.every((operator) => operator === first) ? first : null;
}

function operatorOfHost(host: string, own: OwnOperators): MailOperator | null {
  return findBySuffix(host, own) ?? findBySuffix(host, HOSTS);
}

/** Looks up the host, then each domain above it. */
function findBySuffix(host: string, table: Readonly<Record<string, MailOperator>>) {
  for (let name = host; name !== ""; name = name.slice(name.indexOf(".") + 1 || name.length))
    if (Object.hasOwn(table, name)) return table[name]!;
  return null;
}

// A destination's operator is known once a mail host of it has replied.
const learned = createTtlCache<MailOperator>({ max: 5_000, ttlMs: 24 * 3_600_000 });

/**
 * The operator of a destination, for `/metrics`.
 *
 * @param host the mail host that replied, if one did
 */
export function mailOperator(destination: string, host?: string | null): MailOperator {
  const known = DOMAINS[destination] ?? learned.get(destination);
  if (known) return known;
  if (!host) return "other";
  const operator = operatorOfHost(host.toLowerCase().replace(/\.$/, ""), {}) ?? "other";
  if (operator !== "other") learned.set(destination, operator);
  return operator;
}

function named(operator: MailOperator, names: string): Record<string, MailOperator> {
  return Object.fromEntries(names.split(" ").map((name) => [name, operator]));
}
