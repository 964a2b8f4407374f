import { z } from "zod";

import { Refusal } from "#server/core/shared/refusals.ts";
import { readJson } from "#server/core/shared/signatures/read-signed.ts";
import type { SigningJwks } from "#server/core/shared/signatures/signing-key.ts";

import { readAcceptances } from "./acceptance.ts";
import { type AuditHead, requireHead } from "./audit-head.ts";
import { verifyChain } from "./verify-chain.ts";
import type { AuditReport } from "./verify-stored-audit.ts";

const Bytes = z
  .string()
  .regex(/^([0-9a-f]{2})+$/)
  .transform((text) => Buffer.from(text, "hex"));

const Entry = z.object({
  id: z.string(),
  actor: z.string(),
  actor_kind: z.string(),
  action: z.string(),
  details: z.record(z.string(), z.unknown()),
  created_at: z.iso.datetime(),
  sequence: z.int().nullable(),
  salt: Bytes.nullable(),
  content_hash: Bytes.nullable(),
  hash: Bytes.nullable(),
  erasure: z.string().nullable(),
  head: z.string().nullable(),
});

type FileEntry = z.infer<typeof Entry>;

/**
 * Verifies an audit log that was exported as JSON, offline.
 *
 * @param text the whole log, in either order
 * @param known heads saved earlier
 * @throws Refusal `invalid` for a file that isn't such an export or has no signed head, or if all known heads are of
 *   other companies
 */
export async function verifyAuditFile(
  text: string,
  keys: SigningJwks,
  known: AuditHead[] = [],
): Promise<AuditReport> {
  const file = z.array(Entry).safeParse(readJson(text));
  if (!file.success)
    throw new Refusal(
      "invalid",
      "The file isn't a JSON export of an audit log, or it has no hashes",
    );
  const head = findHead(file.data, keys);
  const entries = file.data
    .flatMap((entry) => toChainEntry(entry, head) ?? [])
    .toSorted((a, b) => a.sequence - b.sequence);
  const own = known.filter(({ companyId }) => companyId === head.companyId);
  if (known.length > 0 && own.length === 0)
    throw new Refusal(
      "invalid",
      `This is the audit log of company ${head.companyId}, but none of the saved heads belongs to that company`,
    );
  const all = file.data.map(({ created_at: createdAt, ...rest }) => ({ ...rest, createdAt }));
  const acceptances = () => Promise.resolve(readAcceptances(head.companyId, all, keys));
  const { erased, accepted, problem } = await verifyChain(head, [entries], {
    ...{ keys, known: own, acceptances },
  });
  return { entries: all.length, sealed: entries.length, erased, head, accepted, problem };
}

/** The newest head in the file. @throws Refusal `invalid` */
function findHead(entries: FileEntry[], keys: SigningJwks): AuditHead {
  let newest: AuditHead | null = null;
  for (const { head: signature } of entries) {
    if (signature === null) continue;
    const head = requireHead(signature, keys);
    if (!newest || head.sequence > newest.sequence) newest = head;
  }
  if (newest) return newest;
  throw new Refusal(
    "invalid",
    "The file has no signed head. Export the whole audit log, without filters",
  );
}

/** Null for an entry that the head doesn't cover: not yet, or no longer if retention deleted it during the export. */
function toChainEntry(
  { actor_kind: actorKind, created_at: createdAt, content_hash: contentHash, ...rest }: FileEntry,
  head: AuditHead,
) {
  const { sequence, salt, hash } = rest;
  if (sequence === null || sequence > head.sequence || isDeleted(sequence, head)) return null;
  if (salt === null || hash === null || contentHash === null) return null;
  return { ...rest, actorKind, createdAt, sequence, salt, hash, contentHash };
}

const isDeleted = (sequence: number, { deleted }: AuditHead) =>
  deleted !== null && sequence <= deleted.sequence;
