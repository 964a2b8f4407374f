import { and, eq, sql } from "drizzle-orm";

import { apiKeys, domains, emails } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { consoleSender } from "./console-sender.ts";

/** Where an email came from. */
export type Origin = {
  /** Null once it is deleted. */
  domain: { id: string; name: string } | null;
  /** Null: sent without one. */
  apiKey: { id: string; name: string; isRevoked: boolean } | null;
  /** Who sent it from the console, as a person reads it; null for what a key sent. */
  sentBy: string | null;
};

/**
 * Where an email of the company came from.
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
