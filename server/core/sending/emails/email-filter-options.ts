import { and, asc, desc, eq, isNotNull, sql } from "drizzle-orm";

import { apiKeys, domains } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** Nobody reads further down a list of choices. */
const KEYS_MAX = 500;

export type EmailFilterOptions = {
  /** With proven ownership; those that may send first. */
  domains: { id: string; name: string; canSend: boolean }[];
  /** Newest first, the revoked ones last: they are still what sent older emails. */
  keys: { id: string; name: string; isRevoked: boolean }[];
};

/** What emails of the company can be looked for by, and sent from. */
export async function getEmailFilterOptions({
  db,
  companyId,
}: Context): Promise<EmailFilterOptions> {
  const canSend = sql<boolean>`${domains.status} = 'verified'`;
  const isRevoked = sql<boolean>`${apiKeys.revokedAt} is not null`;
  const [own, keys] = await Promise.all([
    db
      .select({ id: domains.id, name: domains.name, canSend })
      .from(domains)
      .where(and(eq(domains.companyId, companyId), isNotNull(domains.ownershipProvenAt)))
      .orderBy(desc(canSend), asc(domains.createdAt), asc(domains.id)),
    db
      .select({ id: apiKeys.id, name: apiKeys.name, isRevoked })
      .from(apiKeys)
      .where(eq(apiKeys.companyId, companyId))
      .orderBy(asc(isRevoked), desc(apiKeys.createdAt), desc(apiKeys.id))
      .limit(KEYS_MAX),
  ]);
  return { domains: own, keys };
}
