import { ParserThread } from "#server/core/mail/incoming/parser-thread.ts";
import type { Message } from "#server/core/shared/mime/message.ts";
import { programFile } from "#server/processes/program-file.ts";

import type { Resolve } from "#server/core/mail/authentication/caching-resolver.ts";
import { selectSignatures } from "./select-signatures.ts";
import type { DkimSignature, KeyAnswer, VerifiedSignatures } from "./verify-signatures.ts";

export type Signatures = {
  /** `pass` if a signature of any domain passes. */
  dkim: { result: DkimSignature["result"] | "none"; signatures: DkimSignature[] };
  /** `sets` are as their sealers wrote them, whatever the result. */
  arc: VerifiedSignatures["arc"];
};

/** Verifying a message's signatures took too long or too much memory. A retry may succeed. */
export class VerificationTimeout extends Error {}

type Details = { keys: Map<string, KeyAnswer>; checksArc: boolean };

// Two, so that a message that takes long doesn't hold up the others.
const threads = new ParserThread<VerifiedSignatures | null, Details>(
  programFile("server/core/mail/authentication/internal/verifier-worker.ts"),
  // The largest message of short lines takes longer, any other one a few seconds.
  { timeoutMs: 20_000, onExceeded: () => null, threads: 2 },
);

/**
 * Checks the DKIM signatures and the ARC chain of a message (RFC 6376, 8617) in a thread, since it is untrusted and
 * the hash of a large body takes a good part of a second.
 *
 * @throws VerificationTimeout
 */
export async function checkSignatures(message: Message, resolve: Resolve): Promise<Signatures> {
  const { hasSignatures, arcFields, isChainTooLong, keyNames } = selectSignatures(message);
  const unchecked = { result: isChainTooLong ? "fail" : "none", sets: [] } as const;
  if (!hasSignatures && arcFields === 0)
    return { dkim: { result: "none", signatures: [] }, arc: { ...unchecked, sets: [] } };
  const keys = await lookUpKeys(keyNames, resolve);
  const details = { keys, checksArc: arcFields > 0 };
  const verified = await threads.parse(message.raw, { details });
  if (verified === null) throw new VerificationTimeout("Verifying the signatures took too long");
  const { signatures, arc } = verified;
  return {
    dkim: { result: overallResult(signatures), signatures },
    arc: isChainTooLong ? { ...unchecked, sets: [] } : arc,
  };
}

/** Looks up keys ahead, so that the thread never waits for DNS and its deadline limits computing time only. */
async function lookUpKeys(names: string[], resolve: Resolve): Promise<Map<string, KeyAnswer>> {
  const lookUp = async (name: string): Promise<[string, KeyAnswer]> => {
    try {
      return [name, { records: await resolve(name, "TXT") }];
    } catch (error) {
      return [name, { code: String((error as { code?: unknown }).code) }];
    }
  };
  return new Map(await Promise.all(names.map(lookUp)));
}

const overallResult = (signatures: DkimSignature[]): Signatures["dkim"]["result"] =>
  (["pass", "temperror"] as const).find((word) =>
    signatures.some(({ result }) => result === word),
  ) ??
  signatures[0]?.result ??
  "none";
