import { z } from "zod";

import { signJws, verifyJws } from "#server/core/shared/signatures/jws.ts";
import type { SigningJwks } from "#server/core/shared/signatures/signing-key.ts";

import { contentHash, type HashedEntry } from "./entry-hash.ts";

const ERASURE_TYPE = "posthouse-audit-erasure";

const Claims = z.object({
  id: z.uuid(),
  content_hash: z.string(),
  erased_content_hash: z.string(),
});

/** An entry with its sealed content hash and erasure statement. */
export type SealedContent = HashedEntry & {
  salt: Buffer;
  contentHash: Buffer;
  /** See `signErasure`. */
  erasure: string | null;
};

/** Whether a sealed entry is as it was sealed, or as it was left by an erasure. */
export function contentState(
  entry: SealedContent,
  keys: SigningJwks,
): "intact" | "erased" | "changed" {
  const current = contentHash(entry, entry.salt);
  if (current.equals(entry.contentHash)) return "intact";
  if (entry.erasure === null) return "changed";
  const verified = verifyJws(entry.erasure, { type: ERASURE_TYPE, what: "an erasure", keys });
  const claims = Claims.safeParse(verified.claims).data;
  const isErased =
    verified.problem === null &&
    claims?.id === entry.id &&
    claims.content_hash === entry.contentHash.toString("hex") &&
    claims.erased_content_hash === current.toString("hex");
  return isErased ? "erased" : "changed";
}

/** Signs that an entry was changed by an erasure. @param entry as it is now, with a new salt */
export const signErasure = (entry: Omit<SealedContent, "erasure">): string =>
  signJws(ERASURE_TYPE, {
    id: entry.id,
    content_hash: entry.contentHash.toString("hex"),
    erased_content_hash: contentHash(entry, entry.salt).toString("hex"),
    erased_at: new Date().toISOString(),
  });
