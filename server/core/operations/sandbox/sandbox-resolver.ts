import { and, eq } from "drizzle-orm";

import { dkimKeys, domains } from "#drizzle/schema/index.ts";
import { dkimRecord } from "#server/core/sending/dkim/dkim-record.ts";
import type { Db } from "#server/db/client.ts";

import { SANDBOX_DOMAIN } from "#server/core/domains/domains/sandbox-domain.ts";

/**
 * A resolver for the sandbox domain, which isn't in DNS: answers with its DKIM records. All other names don't exist.
 */
export function sandboxResolver(db: Db) {
  return async (name: string, type: string): Promise<string[][]> => {
    const [selector, suffix] = name.toLowerCase().split("._domainkey.");
    if (type === "TXT" && selector && suffix === SANDBOX_DOMAIN) {
      const keys = await db
        .select({ algorithm: dkimKeys.algorithm, publicKey: dkimKeys.publicKey })
        .from(dkimKeys)
        .innerJoin(domains, eq(domains.id, dkimKeys.domainId))
        .where(and(eq(domains.name, SANDBOX_DOMAIN), eq(dkimKeys.selector, selector)));
      if (keys.length > 0) return keys.map((key) => [dkimRecord(key)]);
    }
    throw Object.assign(new Error(`${name} has no ${type} record`), { code: "ENOTFOUND" });
  };
}
