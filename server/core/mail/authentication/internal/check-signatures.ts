import { Readable } from "node:stream";
import { setImmediate } from "node:timers/promises";

import type { ARCData, DKIMResult as MailauthResult } from "mailauth";

import { readDomain } from "#server/core/shared/addresses/parse-address.ts";

import type { Resolve } from "./bounded-resolve.ts";
import { type ArcSet, readArcSets } from "./trusted-seal.ts";
import { selectSignatures } from "./select-signatures.ts";

type DkimSignature = {
  result: "pass" | "fail" | "policy" | "neutral" | "temperror" | "permerror";
  domain: string;
  selector: string;
  algorithm: string;
  /** The first characters of the signature, to tell it from others (RFC 6008). */
  mark: string;
};

export type Signatures = {
  /** `pass` if a signature of any domain passes. */
  dkim: { result: DkimSignature["result"] | "none"; signatures: DkimSignature[] };
  /** `sets` are as their sealers wrote them, whatever the result. */
  arc: { result: "pass" | "fail" | "none"; sets: ArcSet[] };
};

/** Checks the DKIM signatures and the ARC chain of a message (RFC 6376, 8617). */
export async function checkSignatures(content: Buffer, resolve: Resolve): Promise<Signatures> {
  const { pieces, hasSignatures, arcSets, isChainTooLong } = selectSignatures(content);
  if (!hasSignatures && arcSets === 0)
    return {
      dkim: { result: "none", signatures: [] },
      arc: { result: isChainTooLong ? "fail" : "none", sets: [] },
    };
  const { dkimVerify } = await import("mailauth/lib/dkim/verify.js");
  const verified = await dkimVerify(inChunks(pieces), { resolver: resolve });
  const signatures = verified.results.flatMap((one) => toSignature(one) ?? []);
  const sets = readArcSets(verified.arc as Partial<ARCData>);
  const { arc } = await import("mailauth/lib/arc/index.js");
  const chain = arcSets > 0 ? await arc(verified.arc as ARCData, { resolver: resolve }) : undefined;
  return {
    dkim: { result: overallResult(signatures), signatures },
    arc: { result: isChainTooLong ? "fail" : arcResult(chain?.status.result), sets },
  };
}

const CHUNK_BYTES = 128 * 1024;

/** Yields to the event loop between chunks, because hashing a large body takes a good part of a second. */
function inChunks(pieces: Buffer[]): Readable | Buffer {
  const whole = Buffer.concat(pieces);
  if (whole.length <= CHUNK_BYTES) return whole;
  return Readable.from(
    (async function* () {
      for (let at = 0; at < whole.length; at += CHUNK_BYTES) {
        await setImmediate();
        yield whole.subarray(at, at + CHUNK_BYTES);
      }
    })(),
  );
}

const arcResult = (result: string | undefined) =>
  result === "pass" ? "pass" : result === undefined || result === "none" ? "none" : "fail";

const overallResult = (signatures: DkimSignature[]): Signatures["dkim"]["result"] =>
  (["pass", "temperror"] as const).find((word) =>
    signatures.some(({ result }) => result === word),
  ) ??
  signatures[0]?.result ??
  "none";

/** mailauth's result, with the fields that its types lack. */
type DKIMResult = Omit<MailauthResult, "signingDomain"> & {
  signingDomain?: string;
  algo?: string;
  signature?: string;
};

/** Null for the entry that mailauth returns for an unsigned message. */
function toSignature(one: DKIMResult): DkimSignature | null {
  const domain = readDomain(one.signingDomain ?? "");
  if (!domain) return null;
  return {
    result: toResult(one.status),
    domain,
    selector: plain(one.selector),
    algorithm: plain(one.algo),
    mark: plain(one.signature).slice(0, 8),
  };
}

/** A missing or unusable key is a permanent error (RFC 8601, 2.7.1). */
function toResult({ result, comment }: DKIMResult["status"]): DkimSignature["result"] {
  if (result === "pass" || result === "fail" || result === "policy" || result === "temperror")
    return result;
  if (comment === "body hash did not verify") return "fail";
  return comment?.startsWith("no key") || /key/.test(comment ?? "") ? "permerror" : "neutral";
}

const plain = (text: unknown) =>
  typeof text === "string" ? text.replace(/[^\w.+/=-]/g, "").slice(0, 128) : "";
