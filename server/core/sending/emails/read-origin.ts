import { and, eq, sql } from "drizzle-orm";

import { apiKeys, domains, emails } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { consoleSender } from "./console-sender.ts";

/** What an email was sent from. */
export type Origin = {
  /** Null if deleted. */
  domain: { id: string; name: string } | null;
  /** Null: sent from the console or by the appliance. */
  apiKey: { id: string; name: string; isRevoked: boolean } | null;
  /** The admin who sent it from the console; null for API keys. */
  sentBy: string | null;
};

/**
 * Returns what an email of the company was sent from.
 *
 * @throws Refusal `not_found`
 */
export async function readOrigin(ctx: Context, emailId: string): Promise<Origin> {
  const sender = consoleSender(ctx.db);
  const [origin] = await ctx.db
    .select({
      domain: { id: domains.id, name: domains.name },
      apiKey: {
        id: apiKeys.id,
        name: apiKeys.name,
        isRevoked: sql<boolean>`${apiKeys.revokedAt} is not null`,
      },
      sentBy: sender.actor,
    })
    .from(emails)
    .leftJoin(domains, eq(domains.id, emails.domainId))
    .leftJoin(apiKeys, eq(apiKeys.id, emails.apiKeyId))
    .leftJoinLateral(sender, sql`${emails.apiKeyId} is null`)
    .where(and(eq(emails.id, emailId), eq(emails.companyId, ctx.companyId)));
  if (!origin) throw new Refusal("not_found", "Email not found");
  return origin;
}
