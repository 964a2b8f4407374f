import all from "email-providers/all.json" with { type: "json" };
import common from "email-providers/common.json" with { type: "json" };
import { getDomain } from "tldts";

/**
 * Whose names stand for mailboxes under every country's suffix. Only these are taken from the long
 * list: it names thousands of small services whose names have other owners today.
 */
const FAMILY =
  /^(yahoo|ymail|rocketmail|hotmail|outlook|live|msn|aol|gmx|googlemail|gmail|icloud|proton(mail)?|yandex|zoho(mail)?|lycos|mail2\w+)\./;

/** Well known, and on neither list or on the long one only. */
const MORE =
  `bk.ru bol.com.br disroot.org duck.com email.com fastmail.com gmx.ch hanmail.net hispeed.ch
  inbox.ru kpnmail.nl pm.me posteo.de posteo.net rediffmail.com riseup.net runbox.com skiff.com sohu.com
  startmail.com tuta.com tuta.io tutamail.com tutanota.com tutanota.de videotron.ca xs4all.nl ziggo.nl
  zohomail.com zohomail.eu`.split(/\s+/);

/** On the short list, and yet names of organisations that send as themselves. */
const ORGANISATIONS = `about.com alibaba.com ancestry.com berlin.de discovery.com dnsmadeeasy.com
  facebook.com go.com kansascity.com law.com mail-tester.com medscape.com name.com nus.edu.sg oath.com
  parrot.com singpost.com space.com swissinfo.org techspot.com test.com test.de unican.es`.split(
  /\s+/,
);

const providers = new Set<string>([
  ...common,
  ...all.filter((name: string) => FAMILY.test(name)),
  ...MORE,
]);
for (const name of ORGANISATIONS) providers.delete(name);

/**
 * The public mailbox provider that a name is or lies below, or null. Nobody could prove that such a
 * name is theirs; to say so at once spares them the attempt, which is why a name too few on the list
 * does no harm and one too many would.
 *
 * @param name as `readDomainName` returns it
 */
export function publicProvider(name: string): string | null {
  // Under a suffix such as spb.ru each name has an owner of its own.
  const registered = getDomain(name, { allowPrivateDomains: true });
  if (!registered) return null;
  const above = name.slice(0, -registered.length).split(".").filter(Boolean);
  const candidates = [
    ...above.map((_, i) => `${above.slice(i).join(".")}.${registered}`),
    registered,
  ];
  return candidates.find((candidate) => providers.has(candidate)) ?? null;
}
