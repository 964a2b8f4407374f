import { and, eq, isNotNull, sql } from "drizzle-orm";

import { admins, apiKeys, domains, emails } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import {
  type RoleGrant,
  type HeldPrivileges,
  effectivePrivileges,
} from "#server/core/access/privileges/held-privileges.ts";
import { adminRolesSql } from "#server/core/access/privileges/admin-roles-sql.ts";

import { SHOWN_KEY, type ShownKey } from "./list-keys-with-creators.ts";

/**
 * Returns an active or revoked key with its creator's current privileges and the number of its scheduled
 * emails, which revoking it would cancel.
 *
 * @throws Refusal `not_found`
 */
export async function getKeyWithCreator(
  ctx: Context,
  id: string,
): Promise<{ key: ShownKey; creatorPrivileges: HeldPrivileges; scheduled: number }> {
  const [found] = await ctx.db
    .select({
      ...SHOWN_KEY,
      isOwner: admins.isOwner,
      privileges: admins.privileges,
      roles: sql<RoleGrant[]>`${adminRolesSql(sql`${admins.id}`)}`,
    })
    .from(apiKeys)
    .innerJoin(admins, eq(admins.id, apiKeys.creatorId))
    .leftJoin(domains, eq(domains.id, apiKeys.domainId))
    .where(and(eq(apiKeys.id, id), eq(apiKeys.companyId, ctx.companyId)));
  if (!found) throw new Refusal("not_found", "API key not found");
  const scheduled = await ctx.db.$count(
    emails,
    and(eq(emails.apiKeyId, id), eq(emails.companyId, ctx.companyId), isNotNull(emails.dueAt)),
  );
  const { isOwner, privileges, roles, ...key } = found;
  return { key, creatorPrivileges: effectivePrivileges({ isOwner, privileges, roles }), scheduled };
}
