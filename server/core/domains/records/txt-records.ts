import type { DkimKey } from "#drizzle/schema/index.ts";

/** What a DKIM record says about our key (RFC 6376 §3.6.1). */
export type DkimReading =
  | "ours"
  /** Empty `p=`: signatures with this key are invalid. */
  | "revoked"
  /** The start of our key. */
  | "truncated"
  | "other_key"
  /** Our key, with tags that forbid its use for email signed with SHA-256. */
  | "unusable"
  | "not_dkim";

/**
 * Compares the text of a TXT record with our key, ignoring white space.
 *
 * @param publicKey as in `dkim_keys`: base64 without white space
 */
export function readDkim(
  text: string,
  { publicKey, algorithm }: Pick<DkimKey, "publicKey" | "algorithm">,
): DkimReading {
  const tags = readTags(text);
  const key = tags?.get("p")?.replace(/\s/g, "");
  if (!tags || key === undefined || !hasGoodVersion(tags)) return "not_dkim";
  if (key === "") return "revoked";
  if (key === publicKey) return isUsable(tags, algorithm) ? "ours" : "unusable";
  return publicKey.startsWith(key) ? "truncated" : "other_key";
}

function hasGoodVersion(tags: Map<string, string>): boolean {
  const version = tags.get("v");
  return version === undefined || (version === "DKIM1" && tags.keys().next().value === "v");
}

function isUsable(tags: Map<string, string>, algorithm: string): boolean {
  const list = (name: string, fallback: string) =>
    (tags.get(name) ?? fallback).split(":").map((entry) => entry.trim().toLowerCase());
  const services = list("s", "*");
  return (
    list("k", "rsa").includes(algorithm) &&
    list("h", "sha256").includes("sha256") &&
    (services.includes("*") || services.includes("email"))
  );
}

const POLICIES = ["none", "quarantine", "reject"] as const;

type DmarcPolicy = (typeof POLICIES)[number];

export type DmarcRecord = { policy: DmarcPolicy; reportUris: string[] };

/** Whether the text is meant as a DMARC record, valid or not. */
export const looksLikeDmarc = (text: string) => /^\s*v\s*=\s*DMARC1\b/i.test(text);

/**
 * Parses a DMARC record like receivers do (RFC 7489 §6.3, §6.6.3): the version comes first; without a valid
 * policy it counts as `none` if it requests reports, and is invalid otherwise (null). Unreadable tags are
 * ignored.
 */
export function readDmarc(text: string): DmarcRecord | null {
  if (!/^\s*v\s*=\s*DMARC1\s*(;|$)/.test(text)) return null;
  const tags = readDmarcTags(text);
  const reportUris = (tags.get("rua") ?? "")
    .split(",")
    .map((uri) => uri.trim())
    .filter((uri) => /^[a-z][a-z0-9+.-]*:/i.test(uri));
  const asked = tags.get("p")?.toLowerCase();
  const policy = POLICIES.find((known) => known === asked);
  if (!policy && reportUris.length === 0) return null;
  return { policy: policy ?? "none", reportUris };
}

/** The first of duplicate tags counts. */
function readDmarcTags(text: string): Map<string, string> {
  const tags = new Map<string, string>();
  for (const part of text.split(";")) {
    const at = part.indexOf("=");
    const name = part.slice(0, Math.max(at, 0)).trim().toLowerCase();
    if (!tags.has(name)) tags.set(name, part.slice(at + 1).trim());
  }
  return tags;
}

/**
 * The DMARC record to publish: the existing one with our report address added or, if there isn't exactly one
 * valid record, one that only requests reports.
 */
export function mergeDmarc(existing: string[], reportAddress: string): string {
  const uri = `mailto:${reportAddress}`;
  const [kept, second] = existing.filter((text) => readDmarc(text) !== null);
  if (kept === undefined || second !== undefined) return `v=DMARC1; p=none; rua=${uri}`;
  const uris = readDmarc(kept)!.reportUris.map((known) => known.replace(/!.*$/, "").toLowerCase());
  if (uris.includes(uri.toLowerCase())) return kept;
  const asked = /(^|;)(\s*rua\s*=\s*)([^;]*?)(\s*)(?=;|$)/i;
  if (uris.length > 0)
    return kept.replace(
      asked,
      (_, start: string, tag: string, list: string, space: string) =>
        `${start}${tag}${list},${uri}${space}`,
    );
  const without = kept.replace(asked, "").replace(/[;\s]+$/, "");
  return `${without}; rua=${uri}`;
}

/**
 * Parses `tag=value; tag=value` (RFC 6376 §3.2, also used by MTA-STS), with lower-case names and trimmed
 * values. Null if invalid or if a tag is repeated.
 */
export function readTags(text: string): Map<string, string> | null {
  const tags = new Map<string, string>();
  const parts = text.split(";");
  if (parts.at(-1)?.trim() === "") parts.pop();
  for (const part of parts) {
    const at = part.indexOf("=");
    const name = part.slice(0, at).trim().toLowerCase();
    if (at < 0 || !/^[a-z][a-z0-9_]*$/.test(name) || tags.has(name)) return null;
    tags.set(name, part.slice(at + 1).trim());
  }
  return tags.size > 0 ? tags : null;
}

/** Longer than any valid record; bounds the cost of pattern matching. */
export const TEXT_MAX = 4_096;

/** The text of a TXT record: its strings joined without separators (RFC 7208 §3.3), truncated to TEXT_MAX. */
export const joinTxtStrings = (strings: string[]): string => strings.join("").slice(0, TEXT_MAX);
