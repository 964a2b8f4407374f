import { and, asc, eq, isNull, sql } from "drizzle-orm";

import { type ApiKey, apiKeys } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** An active key with the number of scheduled emails that revoking it would cancel. */
export type AdminKey = Pick<
  ApiKey,
  "id" | "name" | "prefix" | "permission" | "createdAt" | "lastUsedAt"
> & { scheduledEmails: number };

/** Lists the active keys an admin created, oldest first: those that removing the admin would revoke. */
export const listAdminKeys = (ctx: Context, adminId: string): Promise<AdminKey[]> =>
  ctx.db
    .select({
      id: apiKeys.id,
      name: apiKeys.name,
      prefix: apiKeys.prefix,
      permission: apiKeys.permission,
      createdAt: apiKeys.createdAt,
      lastUsedAt: apiKeys.lastUsedAt,
      scheduledEmails: sql<number>`(select count(*)::int from emails e
        where e.api_key_id = ${apiKeys.id} and e.due_at is not null)`,
    })
    .from(apiKeys)
    .where(
      and(
        eq(apiKeys.creatorId, adminId),
        eq(apiKeys.companyId, ctx.companyId),
        isNull(apiKeys.revokedAt),
      ),
    )
    .orderBy(asc(apiKeys.createdAt), asc(apiKeys.id));
