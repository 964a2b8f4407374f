import { createPrivateKey, type KeyObject } from "node:crypto";

import { desc, eq, inArray } from "drizzle-orm";

import { dkimKeys, domains } from "#drizzle/schema/index.ts";
import { unseal } from "#server/core/shared/secrets/seal.ts";
import type { Db } from "#server/db/client.ts";

/** A domain's parsed signing key. */
export type SigningKey = { domain: string; selector: string; privateKey: KeyObject };

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
    })
    .from(dkimKeys)
    .innerJoin(domains, eq(domains.id, dkimKeys.domainId))
    .where(inArray(dkimKeys.domainId, domainIds))
    .orderBy(dkimKeys.domainId, desc(dkimKeys.createdAt), desc(dkimKeys.id));
  return new Map(
    rows.map(({ domainId, domain, selector, sealedPrivateKey }) => [
      domainId,
      openKey(sealedPrivateKey, { domain, selector }),
    ]),
  );
}

function openKey(
  sealed: string,
  { domain, selector }: { domain: string; selector: string },
): SigningKey | Error {
  try {
    return { domain, selector, privateKey: createPrivateKey(unseal(sealed)) };
  } catch (cause) {
    return new Error(`The DKIM key ${selector} of ${domain} cannot be used`, { cause });
  }
}
