import type { DkimKey, DomainRecordKind } from "#drizzle/schema/index.ts";

/** The records of a domain's keys: the active one of each algorithm, and those that will replace them. */
type DkimRecordKind = Extract<DomainRecordKind, `dkim${string}`>;

/** The keys that are published, by record. */
export type PublishedKeys<Key = Pick<DkimKey, "selector" | "algorithm" | "publicKey">> = {
  [Kind in DkimRecordKind]?: Key;
};

const KINDS = {
  rsa: { active: "dkim", next: "dkim_next" },
  ed25519: { active: "dkim_ed25519", next: "dkim_ed25519_next" },
} as const;

/** In display order. */
export const DKIM_RECORDS: DkimRecordKind[] = [
  "dkim",
  "dkim_ed25519",
  "dkim_next",
  "dkim_ed25519_next",
];

export const isDkimRecord = (kind: DomainRecordKind): kind is DkimRecordKind =>
  kind.startsWith("dkim");

/** The record of the active key that a next key replaces. */
export const replacedRecord = (kind: DkimRecordKind) =>
  kind.startsWith("dkim_ed25519") ? ("dkim_ed25519" as const) : ("dkim" as const);

/** Sorts keys by their records; retired keys have none. */
export function publishedKeys(keys: DkimKey[]): PublishedKeys<DkimKey> {
  const published: PublishedKeys<DkimKey> = {};
  for (const key of keys)
    if (key.state !== "retired") published[KINDS[key.algorithm][key.state]] = key;
  return published;
}
