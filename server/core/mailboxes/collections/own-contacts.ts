// cspell:ignore ADDRESSBOOKSERVER
import { readdir, readFile, stat } from "node:fs/promises";
import { join } from "node:path";

import { eq } from "drizzle-orm";

import { mailboxPolicies } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { PromiseCache } from "#server/core/shared/caches.ts";
import type { Db } from "#server/db/client.ts";
import { collectionsPath, listTagged, unlessMissing } from "#server/gateways/calendar-store.ts";

/** A contact of a mailbox's address books. `id` is the path of its vCard below them. */
export type OwnContact = { id: string; name: string; emails: string[]; phones: string[] };

/** Whether a mailbox user can use contacts with apps. */
export async function canUseContacts(db: Db, mailbox: string): Promise<boolean> {
  if (!config().calendar) return false;
  const { calendarAllowed, address } = mailboxPolicies;
  const found = await db
    .select({ calendarAllowed })
    .from(mailboxPolicies)
    .where(eq(address, mailbox));
  return found[0]?.calendarAllowed ?? false;
}

/**
 * Lists the contacts that a mailbox user has in Radicale, by name.
 *
 * @param search words in the name, an address or a number, or the `id` of one contact
 */
export async function listOwnContacts(
  store: string,
  { search, first, limit }: { search: string; first: number; limit: number },
): Promise<{ total: number; contacts: OwnContact[] }> {
  const all = await readContacts(collectionsPath(store));
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const named = all.filter(({ id }) => id === search);
  const matching = all.filter(({ name, emails, phones }) => {
    const text = [name, ...emails, ...phones].join(" ").toLowerCase();
    return words.every((word) => text.includes(word));
  });
  const found = named.length > 0 ? named : matching;
  return { total: found.length, contacts: found.slice(first, first + limit) };
}

/** By address books and the times of their last change. */
const cache = new PromiseCache<OwnContact[]>({ max: 20 });

async function readContacts(home: string): Promise<OwnContact[]> {
  const books = await listTagged(home, "VADDRESSBOOK");
  const marks = books.map(async (book) => {
    const found = await unlessMissing(stat(join(home, book), { bigint: true }), null);
    return `${home} ${book} ${found?.mtimeNs}`;
  });
  return cache.get((await Promise.all(marks)).join("\n"), async () => {
    const contacts: OwnContact[] = [];
    for (const book of books)
      for (const file of await unlessMissing(readdir(join(home, book)), [])) {
        if (file.startsWith(".")) continue;
        // It may have been deleted meanwhile.
        const card = await readFile(join(home, book, file), "utf8").catch(() => "");
        const contact = parseCard(`${book}/${file}`, card);
        if (contact) contacts.push(contact);
      }
    return contacts.toSorted((a, b) => a.name.localeCompare(b.name));
  });
}

const PROPERTY = /^(?:[\w-]+\.)?(FN|EMAIL|TEL|KIND|X-ADDRESSBOOKSERVER-KIND)[;:]/i;

/** Reads a vCard (RFC 2426, RFC 6350). Null for a list of contacts, and without a name, address and number. */
function parseCard(id: string, card: string): OwnContact | null {
  const properties = readProperties(card);
  const valuesOf = (name: string) =>
    properties.filter(([property, value]) => property === name && value).map(([, value]) => value);
  const [emails, phones] = [valuesOf("EMAIL"), valuesOf("TEL")];
  const name = [...valuesOf("FN"), ...emails, ...phones][0];
  const kinds = [...valuesOf("KIND"), ...valuesOf("X-ADDRESSBOOKSERVER-KIND")];
  const isList = kinds.some((kind) => kind.toLowerCase() === "group");
  return name === undefined || isList ? null : { id, name, emails, phones };
}

const readProperties = (card: string): [name: string, value: string][] =>
  card
    .replaceAll(/\r?\n[ \t]/g, "")
    .split(/\r?\n/)
    .flatMap((line) => {
      const name = PROPERTY.exec(line)?.[1]!.toUpperCase();
      if (name === undefined) return [];
      // Parameters can contain colons in quotes.
      const value = /^(?:"[^"]*"|[^":])*:(.*)$/.exec(line)?.[1] ?? "";
      const text = value.replaceAll(/\\(.)/g, (_, char: string) => (/n/i.test(char) ? " " : char));
      return [[name, text.replace(/^(?:mailto|tel):/i, "").trim()]];
    });
