import { createHash, createPublicKey } from "node:crypto";
import { finished } from "node:stream/promises";

import type { DKIMResult as MailauthResult, DNSResolver } from "mailauth";
import { arc } from "mailauth/lib/arc/index.js";
import {
  DkimVerifier,
  type PublicKey,
  type SignatureField,
} from "mailauth/lib/dkim/dkim-verifier.js";

import { readSenderDomain } from "#server/core/shared/addresses/parse-address.ts";
import { PromiseCache } from "#server/core/shared/caches.ts";

import { signatureFilter } from "./select-signatures.ts";
import { type ArcSet, readArcSets } from "./trusted-seal.ts";

export type DkimSignature = {
  result: "pass" | "fail" | "policy" | "neutral" | "temperror" | "permerror";
  domain: string;
  selector: string;
  algorithm: string;
  /** The first characters of the signature, to tell it from others (RFC 6008). */
  mark: string;
};

/** A key's records in DNS, or the code of the error. */
export type KeyAnswer = { records: string[] } | { code: string };

export type VerifiedSignatures = {
  signatures: DkimSignature[];
  arc: { result: "pass" | "fail" | "none"; sets: ArcSet[] };
};

/**
 * Parsed keys by a hash of their DNS records, so that a changed record applies immediately and large records aren't kept in memory.
 * Parsing a key takes longer than verifying a signature with it.
 */
const publicKeys = new PromiseCache<PublicKey>({ max: 1_000 });

/** Checks the signatures that `signatureFilter` selects, and the newest one of the ARC chain unless that is too long. */
class SelectiveVerifier extends DkimVerifier {
  readonly #isChecked = signatureFilter();
  readonly #checksArc: boolean;

  constructor({
    resolver,
    keys,
    checksArc,
  }: {
    resolver: DNSResolver;
    keys: Map<string, KeyAnswer>;
    checksArc: boolean;
  }) {
    super({ resolver });
    this.#checksArc = checksArc;
    const { keyCache } = this;
    const read = keyCache.get.bind(keyCache);
    keyCache.get = (type, name, bitsMin, options) => {
      const load = () => read(type, name, bitsMin, options);
      const answer = keys.get(name.toLowerCase());
      if (!answer || !("records" in answer)) return load();
      const asked = JSON.stringify([answer.records, bitsMin, options]);
      return publicKeys.get(createHash("sha256").update(asked).digest("base64"), async () => {
        const key = await load();
        return { ...key, publicKey: createPublicKey(key.publicKey) };
      });
    };
  }

  override prepareSignature(field: SignatureField): void {
    super.prepareSignature(field);
    const { h, l, a } = field.parsed;
    const tags = { h: text(h), l, a: text(a) };
    const isChecked =
      field.type === "ARC"
        ? this.#checksArc && signatureFilter()({ h: tags.h })
        : this.#isChecked(tags);
    if (!isChecked) field.skip ??= "not checked";
  }
}

const text = (tag: { value?: unknown } | undefined) =>
  typeof tag?.value === "string" ? tag.value : undefined;

/**
 * Checks the DKIM signatures and the ARC chain of a message (RFC 6376, 8617), with keys that were looked up before.
 *
 * @param options.keys by name, lowercase
 */
export async function verifySignatures(
  content: Buffer,
  { keys, checksArc }: { keys: Map<string, KeyAnswer>; checksArc: boolean },
): Promise<VerifiedSignatures> {
  // Not async: mailauth looks up the same key several times.
  const resolver = (name: string) => {
    const answer = keys.get(name.toLowerCase()) ?? { code: "ENODATA" };
    return "records" in answer
      ? Promise.resolve(answer.records)
      : Promise.reject(Object.assign(new Error(answer.code), { code: answer.code }));
  };
  const verifier = new SelectiveVerifier({ resolver, keys, checksArc });
  verifier.end(content);
  await finished(verifier);
  const signatures = verifier.results.flatMap((one) => toSignature(one) ?? []);
  if (!checksArc) return { signatures, arc: { result: "none", sets: [] } };
  const sets = readArcSets(verifier.arc);
  const chain = await arc(verifier.arc, { resolver });
  return { signatures, arc: { result: arcResult(chain.status.result), sets } };
}

const arcResult = (result: string | undefined) =>
  result === "pass" ? "pass" : result === undefined || result === "none" ? "none" : "fail";

/** mailauth's result, with the fields that its types lack. */
type DKIMResult = Omit<MailauthResult, "signingDomain"> & {
  signingDomain?: string;
  algo?: string;
  signature?: string;
};

/** Null for the entry that mailauth returns for an unsigned message. */
function toSignature(one: DKIMResult): DkimSignature | null {
  const domain = readSenderDomain(one.signingDomain ?? "");
  if (!domain) return null;
  return {
    result: toResult(one.status),
    domain,
    selector: cleanTag(one.selector),
    algorithm: cleanTag(one.algo),
    mark: cleanTag(one.signature).slice(0, 8),
  };
}

/** A missing or unusable key is a permanent error (RFC 8601, 2.7.1). */
function toResult({ result, comment }: DKIMResult["status"]): DkimSignature["result"] {
  if (result === "pass" || result === "fail" || result === "policy" || result === "temperror")
    return result;
  if (comment === "body hash did not verify") return "fail";
  return comment?.startsWith("no key") || /key/.test(comment ?? "") ? "permerror" : "neutral";
}

const cleanTag = (text: unknown) =>
  typeof text === "string" ? text.replace(/[^\w.+/=-]/g, "").slice(0, 128) : "";
