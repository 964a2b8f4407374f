import { and, eq, isNull, type SQL, sql } from "drizzle-orm";

import { apiKeys } from "#drizzle/schema/index.ts";
import { recordAudits } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { cancelEmailsOfKeys } from "#server/core/sending/schedules/cancel-emails-of-keys.ts";

/**
 * Revokes a key of the company and cancels the emails it scheduled.
 *
 * @throws Refusal `not_found` if the company has no active key with this id
 */
export async function revokeApiKey(ctx: Context, id: string): Promise<void> {
  const revoked = await inTransaction(ctx, (ctx) => revokeKeys(ctx, eq(apiKeys.id, id)));
  if (revoked.length === 0) throw new Refusal("not_found", "API key not found");
}

/**
 * Revokes the company's active keys that match `which`, audits each, and cancels the emails they scheduled.
 * Call in a transaction.
 *
 * @returns the keys' ids
 */
export async function revokeKeys(ctx: Context, which: SQL): Promise<string[]> {
  const revoked = await ctx.db
    .update(apiKeys)
    .set({ revokedAt: sql`clock_timestamp()` })
    .where(and(which, eq(apiKeys.companyId, ctx.companyId), isNull(apiKeys.revokedAt)))
    .returning({ id: apiKeys.id, name: apiKeys.name });
  const ids = revoked.map(({ id }) => id);
  const canceled = await cancelEmailsOfKeys(ctx, ids);
  const entries = revoked.map(({ id, name }) => ({
    ...{ keyId: id, name },
    canceledEmails: canceled.get(id) ?? 0,
  }));
  await recordAudits(ctx, "api_key.revoked", entries);
  return ids;
}
