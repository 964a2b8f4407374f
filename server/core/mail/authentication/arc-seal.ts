import type { ARCSealOptions } from "mailauth";

import { config } from "#server/config.ts";
import { relaxedBodyHash } from "#server/core/sending/dkim/body-hash.ts";
import { loadSigningDomains } from "#server/core/sending/dkim/dkim-keys.ts";
import type { Db } from "#server/db/client.ts";

import { headerEnd } from "#server/core/shared/mime/header-fields.ts";
import type { Message } from "#server/core/shared/mime/message.ts";

/**
 * Prepends an ARC set (RFC 8617) that passes the results of our topmost Authentication-Results field on to the
 * next server. Returns the message unchanged if it lacks that field or From, its ARC chain is broken, or the domain
 * has no DKIM key.
 *
 * @param domainId the domain whose DKIM key signs the seal
 */
export async function addArcSeal(
  db: Db,
  message: Message,
  { domainId }: { domainId: string },
): Promise<Buffer> {
  const content = message.raw;
  const results = message.value("authentication-results");
  if (results === null) return content;
  const authResults = results.replace(/\s+/g, " ");
  if (!authResults.startsWith(`${config().hostname};`)) return content;
  const cv = /;\s*arc=(\w+)/.exec(authResults)?.[1] ?? "none";
  if (cv !== "pass" && cv !== "none") return content;
  const signer = (await loadSigningDomains(db, [domainId])).get(domainId);
  if (!signer || signer instanceof Error) return content;
  // Not all verifiers know Ed25519.
  const key = signer.keys.find(({ privateKey }) => privateKey.asymmetricKeyType === "rsa");
  if (!key) return content;
  const set = await makeSet(content, {
    signingDomain: signer.domain,
    selector: key.selector,
    privateKey: key.privateKey.export({ type: "pkcs8", format: "pem" }),
    algorithm: "rsa-sha256",
    // Without it, mailauth reads the clock twice, and the seal is invalid if a second passes in between.
    signTime: new Date(),
    authResults,
    cv,
  });
  return Buffer.concat([set, content]);
}

/** Hashes the body itself, with pauses: mailauth would take many seconds at once for millions of short lines. */
async function makeSet(content: Buffer, options: ARCSealOptions): Promise<Buffer> {
  const { createSeal, getARChain } = await import("mailauth/lib/arc/index.js");
  const { parseHeaders } = await import("mailauth/lib/tools.js");
  const end = headerEnd(content);
  const headers = parseHeaders(content.subarray(0, end));
  const seal = { ...options, bodyHash: await relaxedBodyHash(content.subarray(end + 2)) };
  try {
    const chain = getARChain(headers) || [];
    const made = await createSeal(false, { headers, arc: { chain }, seal });
    return Buffer.from(made.headers.map((field) => `${field}\r\n`).join(""));
  } catch {
    return Buffer.alloc(0);
  }
}
