import all from "email-providers/all.json" with { type: "json" };
import common from "email-providers/common.json" with { type: "json" };
import { getDomain } from "tldts";

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
export function findPublicProvider(name: string): string | null {
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
