import { and, eq, isNotNull } from "drizzle-orm";
import all from "email-providers/all.json" with { type: "json" };
import common from "email-providers/common.json" with { type: "json" };
import { getDomain } from "tldts";

import { domains } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { trackingHost } from "#server/core/domains/records/domain-records.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Reserved names (RFC 2606, 6761, 6762, 7686, 8375, 9476), except `test`, which operators with a private DNS
 * use.
 */
const EXAMPLES = ["example.com", "example.net", "example.org", "example"];

const NOT_IN_DNS = ["invalid", "localhost", "local", "onion", "internal", "alt", "arpa"];

/**
 * @param name as `parseDomainName` returns it
 * @throws Refusal `not_allowed` if no company can own the name, with what to do
 */
export function requireNotReserved(name: string): void {
  const platform = platformHosts().find((host) => isSameOrSubdomain(name, host));
  if (platform)
    throw notAllowed(
      `${name} belongs to this mail service (${platform}). Use a domain that your company owns`,
    );
  if (EXAMPLES.some((example) => isSameOrSubdomain(name, example)))
    throw notAllowed(`${name} is reserved for examples. Use a domain that your company owns`);
  if (NOT_IN_DNS.some((special) => isSameOrSubdomain(name, special)))
    throw notAllowed(
      `${name} cannot exist in the public DNS. Use a domain that your company has registered`,
    );
  const provider = findPublicProvider(name);
  if (provider)
    throw notAllowed(
      `${provider} is a public mailbox provider. Use a domain that your company owns`,
    );
}

function platformHosts(): string[] {
  const { hostname, baseUrl } = config();
  return [hostname, new URL(baseUrl).hostname, "posthouse.localhost"];
}

const isSameOrSubdomain = (name: string, other: string) =>
  name === other || name.endsWith(`.${other}`);

const notAllowed = (message: string) => new Refusal("not_allowed", message, { field: "name" });

/**
 * Providers with domains under many country suffixes. Only these are taken from the long list, which contains
 * thousands of small services whose names have other owners today.
 */
const FAMILY =
  /^(yahoo|ymail|rocketmail|hotmail|outlook|live|msn|aol|gmx|googlemail|gmail|icloud|proton(mail)?|yandex|zoho(mail)?|lycos|mail2\w+)\./;

/** Well-known providers that are missing from the short list. */
const MORE =
  `bk.ru bol.com.br disroot.org duck.com email.com fastmail.com gmx.ch hanmail.net hispeed.ch
  inbox.ru kpnmail.nl pm.me posteo.de posteo.net rediffmail.com riseup.net runbox.com skiff.com sohu.com
  startmail.com tuta.com tuta.io tutamail.com tutanota.com tutanota.de videotron.ca xs4all.nl ziggo.nl
  zohomail.com zohomail.eu`.split(/\s+/);

/** On the short list, but names of organizations that send as themselves. */
const ORGANIZATIONS = `about.com alibaba.com ancestry.com berlin.de discovery.com dnsmadeeasy.com
  facebook.com go.com kansascity.com law.com mail-tester.com medscape.com name.com nus.edu.sg oath.com
  parrot.com singpost.com space.com swissinfo.org techspot.com test.com test.de unican.es`.split(
  /\s+/,
);

const providers = new Set<string>([
  ...common,
  ...all.filter((name: string) => FAMILY.test(name)),
  ...MORE,
]);

for (const name of ORGANIZATIONS) providers.delete(name);

/**
 * Returns the public mailbox provider that the name belongs to, or null. No company could verify such a name,
 * so saying it at once saves them the attempt. A missing entry does no harm; a wrong one would block a
 * legitimate name.
 *
 * @param name as `parseDomainName` returns it
 */
function findPublicProvider(name: string): string | null {
  // Below a suffix such as spb.ru, each name has its own owner.
  const registered = getDomain(name, { allowPrivateDomains: true });
  if (!registered) return null;
  const above = name.slice(0, -registered.length).split(".").filter(Boolean);
  const candidates = [
    ...above.map((_, i) => `${above.slice(i).join(".")}.${registered}`),
    registered,
  ];
  return candidates.find((candidate) => providers.has(candidate)) ?? null;
}

/** RFC 1123 section 2.1. One label, so that two domains never share a host. */
const LABEL = /^[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?$/;

/** RFC 1035 section 2.3.4. */
const NAME_LENGTH_MAX = 253;

/** Hosts of a domain that have another use. */
const RESERVED = ["autoconfig", "autodiscover", "mta-sts", "bounces", "mail", "www"];

/**
 * Checks the host that a domain's tracking links shall use.
 *
 * @throws Refusal `invalid`
 */
export async function requireTrackingHost(
  db: Db,
  {
    name,
    trackingSubdomain: label = null,
  }: { name: string; trackingSubdomain?: string | null | undefined },
): Promise<void> {
  const host = trackingHost({ name, trackingSubdomain: label });
  if (label === null || host === null) return;
  if (!LABEL.test(label) || host.length > NAME_LENGTH_MAX)
    throw problem("must be one label of lowercase letters, digits and dashes, such as links");
  if (RESERVED.includes(label)) throw problem(`can't be ${label}, which has another use`);
  const { hostname, baseUrl } = config();
  const isInUse =
    [hostname, new URL(baseUrl).hostname].includes(host) ||
    (await db.$count(domains, and(eq(domains.name, host), isNotNull(domains.ownershipProvenAt)))) >
      0;
  if (isInUse) throw problem(`can't be ${label}: ${host} is in use for something else`);
}

const problem = (text: string) => new Refusal("invalid", `tracking_subdomain: ${text}`);
