import { and, asc, desc, eq, isNotNull, sql } from "drizzle-orm";

import { apiKeys, domains } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

const KEYS_MAX = 500;

export type EmailFilterOptions = {
  /** With verified ownership; those that can send first. */
  domains: { id: string; name: string; canSend: boolean }[];
  /** Newest first, revoked ones last: older emails were sent with them. */
  keys: { id: string; name: string; isRevoked: boolean }[];
};

/** Lists the domains and API keys that emails of the company can be filtered by. */
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
