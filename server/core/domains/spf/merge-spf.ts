import type { SpfReading } from "#drizzle/schema/index.ts";

import { isSpf, readSpf } from "./read-spf.ts";

/** A receiver reads no further than ten look-ups (RFC 7208 §4.6.4). */
export const LOOKUPS_MAX = 10;

type Existing = {
  /** The texts found at the domain; those that are no SPF records are passed over. */
  texts: string[];
  /** What following the one record came to, if it was followed. */
  reading: SpfReading | null;
};

/**
 * The one SPF record to publish. What is there stays as it is, to the letter, with this appliance added
 * where receivers still read: before `all`, `redirect=` or what speaks against it. Of several records, which receivers
 * refuse, it makes one. Where one more look-up would be too many the addresses themselves stand in
 * for the host's name.
 */
export function mergeSpf({ texts, reading }: Existing, hostname: string): string {
  const [first, ...others] = texts.map((text) => text.trim()).filter(isSpf);
  if (first === undefined) return `v=spf1 a:${hostname} ~all`;
  if (others.length > 0) return addTerms(others.reduce(joinRecords, first), [`a:${hostname}`]);
  if (reading?.authorises === "yes") return first;
  return addHost(first, reading, hostname);
}

function addHost(record: string, reading: SpfReading | null, hostname: string): string {
  const { lookups, hostAddresses } = reading ?? { lookups: 0, hostAddresses: [] };
  if (lookups < LOOKUPS_MAX || hostAddresses.length === 0)
    return addTerms(record, [`a:${hostname}`]);
  const addresses = hostAddresses.map(
    (address) => `${address.includes(":") ? "ip6" : "ip4"}:${address}`,
  );
  // Past the limit nobody reads on: then it has to come before what uses it up.
  return lookups > LOOKUPS_MAX
    ? record.replace(/^v=spf1/i, (version) => [version, ...addresses].join(" "))
    : addTerms(record, addresses);
}

const LAST_WORD = /^([+?~-]?all|redirect=.*)$/;

/** Adds those that are not there yet, before the first word that would keep a receiver from reading them. */
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

/** `?a:mail.example.com` says of the host that it is not known: whoever reads it reads no further. */
const unqualified = (term: string) => term.replace(/^[?~-]/, "");

/** The other record's mechanisms in the first one; of its end only where it leads. */
function joinRecords(record: string, other: string): string {
  const terms = readSpf(other).flatMap(({ name, text, value }) => {
    if (name === "all" || name === "exp") return [];
    return name === "redirect" ? [`include:${value}`] : [text];
  });
  return addTerms(record, terms);
}
