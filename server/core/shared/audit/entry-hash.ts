import { createHash, randomBytes } from "node:crypto";

/** The part of an entry that is hashed. Times have milliseconds, as in exports. */
export type HashedEntry = {
  id: string;
  actor: string;
  actorKind: string;
  action: string;
  details: Record<string, unknown>;
  createdAt: string;
};

/** A place in a chain: the number of the entries up to it, and the hash there. */
export type ChainPlace = { sequence: number; hash: Buffer };

const SALT_BYTES = 16;

export const newSalt = (): Buffer => randomBytes(SALT_BYTES);

const sha256 = (...parts: (string | Buffer)[]): Buffer => {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(part);
  return hash.digest();
};

/** SHA-256 of the salt and the entry as canonical JSON (RFC 8785). */
export function contentHash(entry: HashedEntry, salt: Buffer): Buffer {
  const { id, actor, actorKind, action, details, createdAt } = entry;
  const created = new Date(createdAt).toISOString();
  const hashed = { ...{ id, actor, action, details }, actor_kind: actorKind, created_at: created };
  return sha256(salt, canonicalJson(hashed));
}

/** The hash of an entry's place in the chain. */
export const chainHash = (previous: Buffer, content: Buffer): Buffer => sha256(previous, content);

/** The place before a company's first entry. Chains of different companies start with different hashes. */
export const chainStart = (companyId: string): ChainPlace => ({
  sequence: 0,
  hash: sha256(`posthouse audit log ${companyId}`),
});

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  const members = Object.entries(value)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, member]) => `${JSON.stringify(name)}:${canonicalJson(member)}`);
  return `{${members.join(",")}}`;
}
