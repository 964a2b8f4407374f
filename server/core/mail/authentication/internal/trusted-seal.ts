import type { ARCData } from "mailauth";

import { readSenderDomain } from "#server/core/shared/addresses/parse-address.ts";

import type { Resolve } from "#server/core/mail/authentication/caching-resolver.ts";

/** One ARC set (RFC 8617, 4) as its sealer wrote it. */
export type ArcSet = {
  instance: number;
  /** `d=` and the key's name of the ARC-Seal. Null if `d=` is no domain. */
  sealer: string | null;
  keyName: string;
  /** The DMARC result that the sealer recorded, and the domain of From that it is about. */
  dmarc: string | null;
  from: string | null;
  /** The signature covers From and the whole body. */
  coversContent: boolean;
};

/** A field of mailauth's entries, which its types don't describe. */
type Field = { original: Buffer; parsed: Record<string, { value?: unknown }> };
type Entry = Record<
  "arc-seal" | "arc-message-signature" | "arc-authentication-results",
  Field | undefined
>;

/** Reads the sets of a chain, oldest first. Call it before mailauth verifies the chain, which changes the entries. */
export function readArcSets({ chain }: Partial<ARCData>): ArcSet[] {
  // False if the message has no chain or an invalid one.
  const entries = (chain || []) as unknown as Entry[];
  return entries.map((entry, at) => readSet(entry, at + 1));
}

function readSet(entry: Entry, instance: number): ArcSet {
  const [seal, signature] = [entry["arc-seal"], entry["arc-message-signature"]];
  const domain = valueOf(seal, "d");
  const signed = valueOf(signature, "h").toLowerCase().split(":");
  return {
    instance,
    sealer: readSenderDomain(domain),
    keyName: `${valueOf(seal, "s")}._domainkey.${domain}`,
    ...readResult(entry["arc-authentication-results"]),
    coversContent: signed.includes("from") && signature?.parsed.l === undefined,
  };
}

/** The DMARC result. Null if there are several, since which one counts is anyone's guess. */
function readResult(results: Field | undefined): Pick<ArcSet, "dmarc" | "from"> {
  const found = splitResults(results?.original.toString() ?? "").flatMap((text) => {
    const [, result] = /^ ?dmarc ?(?:\/ ?\d+ ?)?= ?([a-z]+)(?![^ ])/i.exec(text) ?? [];
    return result === undefined ? [] : { result, text };
  });
  if (found.length !== 1) return { dmarc: null, from: null };
  const [{ result, text }] = found as [(typeof found)[0]];
  const domains = [...text.matchAll(/ header ?\. ?from ?= ?([^ ]+)/gi)].map(
    ([, domain]) => domain!,
  );
  return {
    dmarc: result.toLowerCase(),
    from: domains.length === 1 ? readSenderDomain(domains[0]!) : null,
  };
}

/**
 * Splits the value of an Authentication-Results field at its semicolons (RFC 8601, 2.2), without comments, and with single
 * spaces. Syntax characters in quoted strings are replaced. Empty if a comment or quoted string has no end.
 */
function splitResults(field: string): string[] {
  const state = { depth: 0, isQuoted: false };
  const tokens = field.slice(field.indexOf(":") + 1).match(/\\[^]|["()]|[^"()\\]+|\\$/g) ?? [];
  const plain = tokens.map((token) => plainText(token, state)).join("");
  return state.depth > 0 || state.isQuoted ? [] : plain.replace(/\s+/g, " ").split(";");
}

const COMMENT_STEP: Record<string, number> = { "(": 1, ")": -1 };

/** Advances the state; returns what the token adds to the text. */
function plainText(token: string, state: { depth: number; isQuoted: boolean }): string {
  if (token === '"' && state.depth === 0) {
    state.isQuoted = !state.isQuoted;
    return "";
  }
  if (state.isQuoted) return token.replace(/^\\/, "").replace(/[\s;=()]/g, "\0");
  const wasComment = state.depth > 0;
  state.depth = Math.max(0, state.depth + (COMMENT_STEP[token] ?? 0));
  if (state.depth > 0) return "";
  // A comment is white space.
  return wasComment ? " " : token;
}

const valueOf = (field: Field | undefined, name: string): string => {
  const value = field?.parsed[name]?.value;
  return typeof value === "string" ? value.trim() : "";
};

/**
 * Finds the seal of a trusted forwarder that recorded a DMARC pass, in a chain that passed. Every newer set must be
 * sealed by a trusted forwarder too, since each forwarder can change the message.
 *
 * @param isAligned whether a domain of From that was recorded stands for the message's
 */
export function findTrustedPass(
  sets: ArcSet[],
  { trustedSealers, isAligned }: { trustedSealers: string[]; isAligned: (from: string) => boolean },
): ArcSet | null {
  for (const set of sets.toReversed()) {
    if (!isTrusted(set, trustedSealers) || !set.coversContent) return null;
    if (set.dmarc === "pass") return set.from !== null && isAligned(set.from) ? set : null;
  }
  return null;
}

const isTrusted = ({ sealer }: ArcSet, trustedSealers: string[]) =>
  sealer !== null && trustedSealers.includes(sealer);

/** Whether the key of the newest seal, a trusted forwarder's, can't be looked up at the moment. */
export async function isTrustedKeyUnavailable(
  sets: ArcSet[],
  { trustedSealers, resolve }: { trustedSealers: string[]; resolve: Resolve },
): Promise<boolean> {
  const newest = sets.at(-1);
  if (!newest || !isTrusted(newest, trustedSealers)) return false;
  try {
    await resolve(newest.keyName, "TXT");
    return false;
  } catch (error) {
    return !["ENOTFOUND", "ENODATA"].includes(String((error as { code?: unknown }).code));
  }
}
