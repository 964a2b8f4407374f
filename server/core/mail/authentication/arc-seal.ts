import { config } from "#server/config.ts";
import { loadSigningDomains } from "#server/core/sending/dkim/dkim-keys.ts";
import type { Db } from "#server/db/client.ts";

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
  const { sealMessage } = await import("mailauth/lib/arc/index.js");
  const set = await sealMessage(content, {
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
