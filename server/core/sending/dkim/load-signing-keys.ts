import { createPrivateKey, type KeyObject } from "node:crypto";

import { desc, eq, inArray, sql } from "drizzle-orm";

import { dkimKeys, domains } from "#drizzle/schema/index.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";

/** A domain's parsed signing key, and what else its emails are sent with. */
export type SigningKey = {
  domain: string;
  selector: string;
  privateKey: KeyObject;
  /** The domain of envelope senders; null for the appliance's hostname. */
  returnPath: string | null;
};

/**
 * Loads the newest key of each domain, by domain id. Domains without a key are absent. A key that can't be
 * opened yields an error, so that the others still load.
 */
export async function loadSigningKeys(
  db: Db,
  domainIds: string[],
): Promise<Map<string, SigningKey | Error>> {
  const rows = await db
    .selectDistinctOn([dkimKeys.domainId], {
      domainId: dkimKeys.domainId,
      domain: domains.name,
      selector: dkimKeys.selector,
      sealedPrivateKey: dkimKeys.sealedPrivateKey,
      // A company that lost the name to another one no longer receives its bounces there.
      returnPath: sql<string | null>`case when ${domains.ownershipProvenAt} is not null
        then ${domains.returnPath} end`,
    })
    .from(dkimKeys)
    .innerJoin(domains, eq(domains.id, dkimKeys.domainId))
    .where(inArray(dkimKeys.domainId, domainIds))
    .orderBy(dkimKeys.domainId, desc(dkimKeys.createdAt), desc(dkimKeys.id));
  return new Map(
    rows.map(({ domainId, sealedPrivateKey, ...key }) => [
      domainId,
      openKey(sealedPrivateKey, key),
    ]),
  );
}

function openKey(sealed: string, key: Omit<SigningKey, "privateKey">): SigningKey | Error {
  try {
    return { ...key, privateKey: createPrivateKey(unseal(sealed)) };
  } catch (cause) {
    return new Error(`The DKIM key ${key.selector} of ${key.domain} cannot be used`, { cause });
  }
}
