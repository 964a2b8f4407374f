import { isIPv6 } from "node:net";

import type { DNSResolver } from "mailauth";

import type { SpfReading } from "#drizzle/schema/index.ts";

import { TEXT_MAX } from "#server/core/domains/records/tag-list.ts";

import { LOOKUPS_MAX } from "./merge-spf.ts";
import { readSpf } from "./read-spf.ts";

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
