import { and, eq, sql } from "drizzle-orm";

import { admins, apiKeys, domains, emails } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** What an email was sent from. */
export type Origin = {
  /** Null if deleted. */
  domain: { id: string; name: string } | null;
  /** Null: sent from the console or by the appliance. */
  apiKey: { id: string; name: string; isRevoked: boolean } | null;
  /** The address of the admin who sent it from the console; null for API keys, or if the admin was removed. */
  sentBy: string | null;
};

/**
 * Returns what an email of the company was sent from.
 *
 * @throws Refusal `not_found`
 */
export async function readOrigin(ctx: Context, emailId: string): Promise<Origin> {
  const [origin] = await ctx.db
    .select({
      domain: { id: domains.id, name: domains.name },
      apiKey: {
        id: apiKeys.id,
        name: apiKeys.name,
        isRevoked: sql<boolean>`${apiKeys.revokedAt} is not null`,
      },
      sentBy: admins.email,
    })
    .from(emails)
    .leftJoin(domains, eq(domains.id, emails.domainId))
    .leftJoin(apiKeys, eq(apiKeys.id, emails.apiKeyId))
    .leftJoin(
      admins,
      and(eq(admins.id, emails.sentByAdminId), eq(admins.companyId, emails.companyId)),
    )
    .where(and(eq(emails.id, emailId), eq(emails.companyId, ctx.companyId)));
  if (!origin) throw new Refusal("not_found", "Email not found");
  return origin;
}
