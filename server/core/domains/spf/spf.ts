import { isIPv4, isIPv6 } from "node:net";

import type { DNSResolver } from "mailauth";

import type { SpfReading } from "#drizzle/schema/index.ts";
import { TEXT_MAX } from "#server/core/domains/records/txt-records.ts";

/** A parsed term of an SPF record (RFC 7208 §4.6.1). */
export type SpfTerm = {
  text: string;
  /** Null for modifiers such as `redirect=`. */
  qualifier: "+" | "-" | "~" | "?" | null;
  /** Lower case. */
  name: string;
  /** The part after `:`, `=` or `/`; null if there is none. */
  value: string | null;
  /** A short description of the error that makes receivers ignore the whole record (§4.6); null if valid. */
  error: string | null;
};

/** Whether the text is an SPF record, by its first word (RFC 7208 §4.5). */
export const isSpf = (text: string) => /^v=spf1( |$)/i.test(text);

/** Parses the terms of an SPF record in order. Check `isSpf` first. */
export function readSpf(text: string): SpfTerm[] {
  return text
    .slice("v=spf1".length)
    .split(" ")
    .filter((term) => term !== "")
    .map(readTerm);
}

function readTerm(text: string): SpfTerm {
  const modifier = /^([a-z][a-z0-9_.-]*)=(.*)$/i.exec(text);
  if (modifier) {
    const [, name, value] = modifier;
    const error = name!.toLowerCase() === "redirect" && !value ? "doesn't name a domain" : null;
    return { text, qualifier: null, name: name!.toLowerCase(), value: value!, error };
  }
  const [, sign, name, rest] = /^([+?~-]?)([^:/]*)(.*)$/s.exec(text)!;
  const value = rest === "" ? null : rest!.replace(/^:/, "");
  const term = { text, qualifier: (sign || "+") as "+", name: name!.toLowerCase(), value };
  return { ...term, error: findError(term) };
}

const CIDR = /(\/\d{1,2})?(\/\/\d{1,3})?$/;

type Rule = { isGood: (value: string | null) => boolean; error: string };

const DOMAIN: Rule = {
  isGood: (value) => value !== null && isDomainSpec(value),
  error: "doesn't name a domain",
};

const DOMAIN_OR_NONE: Rule = {
  isGood: (value) => value === null || isDomainSpec(value.replace(CIDR, ""), true),
  error: "does not name a domain",
};

/** What may follow each mechanism (RFC 7208 §5). */
const RULES: Record<string, Rule> = {
  all: { isGood: (value) => value === null, error: "doesn't take a value" },
  include: DOMAIN,
  exists: DOMAIN,
  a: DOMAIN_OR_NONE,
  mx: DOMAIN_OR_NONE,
  ptr: DOMAIN_OR_NONE,
  ip4: { isGood: (value) => isRange(value, isIPv4, 32), error: "is not an IPv4 address or range" },
  ip6: { isGood: (value) => isRange(value, isIPv6, 128), error: "is not an IPv6 address or range" },
};

function findError({ name, value }: Pick<SpfTerm, "name" | "value">): string | null {
  const rule = Object.hasOwn(RULES, name) ? RULES[name] : undefined;
  if (!rule) return "is not a known SPF term";
  return rule.isGood(value) ? null : rule.error;
}

/** Macros (§7) are left to the receiver. */
function isDomainSpec(text: string, mayBeEmpty = false): boolean {
  return text === ""
    ? mayBeEmpty
    : /^[\x21-\x2e\x30-\x7e]+$/.test(text.replace(/%\{[^}]*\}/g, "x"));
}

function isRange(value: string | null, isAddress: (text: string) => boolean, bitsMax: number) {
  const [, address, bits] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(value ?? "") ?? [];
  return address !== undefined && isAddress(address) && Number(bits ?? 0) <= bitsMax;
}

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
    word: normalizeTerm(text),
    index,
  }));
  const findBlocking = (term: string) =>
    words.find(
      ({ word }) =>
        LAST_WORD.test(word) ||
        word === normalizeTerm(term) ||
        unqualified(word) === normalizeTerm(term),
    );
  const added = terms.filter((term) => findBlocking(term)?.word !== normalizeTerm(term));
  if (added.length === 0) return record;
  const ends = added.flatMap((term) => findBlocking(term)?.index ?? []);
  if (ends.length === 0) return [record, ...added].join(" ");
  const at = Math.min(...ends);
  return `${record.slice(0, at)}${added.join(" ")} ${record.slice(at)}`;
}

const normalizeTerm = (term: string) => term.toLowerCase().replace(/^\+/, "");

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

/** Like Node's `dns.promises.resolve`. */
type Resolve = (name: string, rrtype: string) => Promise<unknown>;

type Question = {
  domain: string;
  hostname: string;
  /** The appliance's addresses; empty if its name doesn't resolve. */
  hostAddresses: string[];
  resolve: Resolve;
  /** For all lookups together; later answers are missing. */
  timeoutMs?: number;
};

/** How far to follow a record in order to report its number of lookups. */
const FOLLOWED_MAX = 50;

/**
 * Documentation addresses (RFC 5737): one that no record allows, and one that stands in for an appliance
 * without an address.
 */
const UNUSED_ADDRESS = "203.0.113.254";

const STAND_IN = "203.0.113.7";

/**
 * Evaluates an SPF record like a receiver of mail from this appliance (RFC 7208), including its includes. It
 * authorizes the appliance if each of its addresses passes, since a receiver may see any of them.
 */
export async function followSpf(text: string, question: Question): Promise<SpfReading> {
  const { hostAddresses } = question;
  const lookUp = createLookUp(text, question);
  const { spf } = await import("mailauth/lib/spf/index.js");
  const evaluate = async (ip: string, lookupsMax?: number) =>
    spf({
      sender: `postmaster@${question.domain}`,
      helo: question.hostname,
      mta: question.hostname,
      ip,
      ...(lookupsMax && { maxResolveCount: lookupsMax, maxVoidCount: lookupsMax }),
      resolver: lookUp.resolve as DNSResolver,
    });
  // Sequentially, so that each evaluation reuses the lookups of those before.
  const whole = await evaluate(UNUSED_ADDRESS, FOLLOWED_MAX);
  const results: Result[] = [];
  for (const ip of hostAddresses.length > 0 ? hostAddresses : [STAND_IN])
    results.push((await evaluate(ip)).status);

  const mistake = findMistake(text);
  return {
    authorizes: mistake ? "no" : conclude(results, lookUp.hasFailed()),
    error: mistake ?? findPermerror(results),
    lookups: whole.lookups?.count ?? 0,
    hostAddresses,
  };
}

type Result = { result: string; comment?: string };

/** One invalid term makes receivers ignore the record (§4.6). */
function findMistake(text: string): string | null {
  const term = readSpf(text).find(({ error }) => error !== null);
  return term ? `${term.text} ${term.error!}` : null;
}

function conclude(results: Result[], hasFailed: boolean): SpfReading["authorizes"] {
  if (results.every(({ result }) => result === "pass")) return "yes";
  return hasFailed ? "open" : "no";
}

function findPermerror(results: Result[]): string | null {
  const refused = results.find(({ result }) => result === "permerror");
  if (!refused) return null;
  const comment = refused.comment ?? "";
  return /Too many DNS requests/.test(comment)
    ? `needs more than ${LOOKUPS_MAX} lookups`
    : comment.replace(/^.*?during lookup of \S+: /, "");
}

/** Answers for the domain's record and the appliance's name without DNS; queries everything else once. */
function createLookUp(
  text: string,
  { domain, hostname, hostAddresses, resolve, timeoutMs = 5_000 }: Question,
) {
  const giveUpAt = performance.now() + timeoutMs;
  const answers = new Map<string, Promise<unknown>>();
  let failed = false;

  async function ask(name: string, rrtype: string): Promise<unknown> {
    if (name === domain && rrtype === "TXT") return [[withoutFinalDots(text)]];
    if (name === hostname && ["A", "AAAA"].includes(rrtype)) return ofHost(rrtype);
    if (performance.now() > giveUpAt) throw Object.assign(new Error(), { code: "ETIMEOUT" });
    const answer = await resolve(name, rrtype);
    if (rrtype !== "TXT") return answer;
    const texts = (answer as string[][]).filter(isReadable);
    return texts.map((strings) => [withoutFinalDots(strings.join(""))]);
  }

  function ofHost(rrtype: string): string[] {
    const known = hostAddresses.length > 0 ? hostAddresses : [STAND_IN];
    const matching = known.filter((address) => isIPv6(address) === (rrtype === "AAAA"));
    if (matching.length === 0) throw Object.assign(new Error(), { code: "ENODATA" });
    return matching;
  }
  return {
    hasFailed: () => failed,
    resolve: async (asked: string, rrtype: string): Promise<unknown> => {
      const name = asked.toLowerCase().replace(/\.$/, "");
      const key = `${rrtype} ${name}`;
      const answer = answers.get(key) ?? ask(name, rrtype);
      answers.set(key, answer);
      try {
        return await answer;
      } catch (error) {
        if (!isDenial(error)) failed = true;
        throw error;
      }
    },
  };
}

const isDenial = (error: unknown) =>
  error instanceof Error &&
  "code" in error &&
  ["ENOTFOUND", "ENODATA", "EBADNAME"].includes(String(error.code));

/** Foreign records can have any length. */
const isReadable = (strings: string[]) => strings.join("").length <= TEXT_MAX;

/** Names can end in a dot (§7.1), which the library rejects. */
const withoutFinalDots = (text: string) => text.replace(/(?<=[a-z0-9-])\.(?=[ /]|$)/gi, "");
