import type { DkimKey } from "#drizzle/schema/index.ts";

import { readTags } from "./tag-list.ts";

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
