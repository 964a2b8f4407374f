import { sealMessage } from "mailauth";

import { config } from "#server/config.ts";
import { loadSigningKeys } from "#server/core/sending/dkim/load-signing-keys.ts";
import type { Db } from "#server/db/client.ts";

import { fieldValue, headerFields } from "#server/core/shared/mime/header-fields.ts";

/**
 * The message with an ARC set before it (RFC 8617) that tells the next server what we found when it
 * came in: what our own Authentication-Results field says, which is the topmost one. The body stays as
 * it is. A message without that field, one whose chain is broken already, and one of a domain without
 * a key is returned as it is.
 *
 * @param domainId whose DKIM key seals
 */
export async function addArcSeal(
  db: Db,
  content: Buffer,
  { domainId }: { domainId: string },
): Promise<Buffer> {
  const fields = headerFields(content);
  const results = fields.find(({ name }) => name === "authentication-results");
  if (!results) return content;
  const authResults = fieldValue(content, results).replace(/\s+/g, " ");
  if (!authResults.startsWith(`${config().hostname};`)) return content;
  const cv = /;\s*arc=(\w+)/.exec(authResults)?.[1] ?? "none";
  if (cv !== "pass" && cv !== "none") return content;
  const key = (await loadSigningKeys(db, [domainId])).get(domainId);
  if (!key || key instanceof Error) return content;
  const set = await sealMessage(content, {
    signingDomain: key.domain,
    selector: key.selector,
    privateKey: key.privateKey.export({ type: "pkcs8", format: "pem" }),
    algorithm: "rsa-sha256",
    ...{ authResults, cv },
  });
  return Buffer.concat([set, content]);
}
