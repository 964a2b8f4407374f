import type { SpfReading } from "#drizzle/schema/index.ts";

import { isSpf, readSpf } from "./read-spf.ts";

/** Receivers stop after ten lookups (RFC 7208 §4.6.4). */
export const LOOKUPS_MAX = 10;

type Existing = {
  /** TXT records at the domain; those that aren't SPF are ignored. */
  texts: string[];
  /** The evaluation of the record, if there is one. */
  reading: SpfReading | null;
};

/**
 * Returns the one SPF record to publish. Keeps the existing record verbatim and inserts this appliance where
 * receivers still read: before `all`, `redirect=` or a term that excludes it. Merges several records, which
 * receivers reject, into one. Uses the addresses instead of the hostname if one more lookup would be too
 * many.
 */
export function mergeSpf({ texts, reading }: Existing, hostname: string): string {
  const [first, ...others] = texts.map((text) => text.trim()).filter(isSpf);
  if (first === undefined) return `v=spf1 a:${hostname} ~all`;
  if (others.length > 0) return addTerms(others.reduce(joinRecords, first), [`a:${hostname}`]);
  if (reading?.authorizes === "yes") return first;
  return addHost(first, reading, hostname);
}

function addHost(record: string, reading: SpfReading | null, hostname: string): string {
  const { lookups, hostAddresses } = reading ?? { lookups: 0, hostAddresses: [] };
  if (lookups < LOOKUPS_MAX || hostAddresses.length === 0)
    return addTerms(record, [`a:${hostname}`]);
  const addresses = hostAddresses.map(
    (address) => `${address.includes(":") ? "ip6" : "ip4"}:${address}`,
  );
  // Beyond the limit receivers stop reading, so insert it before the terms that use up the lookups.
  return lookups > LOOKUPS_MAX
    ? record.replace(/^v=spf1/i, (version) => [version, ...addresses].join(" "))
    : addTerms(record, addresses);
}

const LAST_WORD = /^([+?~-]?all|redirect=.*)$/;

/** Adds missing terms before the first word that would stop a receiver from reading them. */
function addTerms(record: string, terms: string[]): string {
  const words = [...record.matchAll(/(?<= )\S+/g)].map(({ 0: text, index }) => ({
    word: plain(text),
    index,
  }));
  const findBlocking = (term: string) =>
    words.find(
      ({ word }) =>
        LAST_WORD.test(word) || word === plain(term) || unqualified(word) === plain(term),
    );
  const added = terms.filter((term) => findBlocking(term)?.word !== plain(term));
  if (added.length === 0) return record;
  const ends = added.flatMap((term) => findBlocking(term)?.index ?? []);
  if (ends.length === 0) return [record, ...added].join(" ");
  const at = Math.min(...ends);
  return `${record.slice(0, at)}${added.join(" ")} ${record.slice(at)}`;
}

const plain = (term: string) => term.toLowerCase().replace(/^\+/, "");

/** `?a:mail.example.com` makes the host's result neutral, and receivers stop there. */
const unqualified = (term: string) => term.replace(/^[?~-]/, "");

/** Adds the other record's mechanisms to the first; of its end only the redirect. */
function joinRecords(record: string, other: string): string {
  const terms = readSpf(other).flatMap(({ name, text, value }) => {
    if (name === "all" || name === "exp") return [];
    return name === "redirect" ? [`include:${value}`] : [text];
  });
  return addTerms(record, terms);
}
