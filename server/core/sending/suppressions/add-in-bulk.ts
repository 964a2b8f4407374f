import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import type { Suppression } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

import { auditSummary } from "./internal/audit-summary.ts";

export type NewSuppression = {
  /** As parseRecipient returns it. */
  email: string;
  origin: Suppression["origin"];
  /** When it was suppressed elsewhere; null: now. */
  createdAt: string | null;
};

/**
 * Adds any number of addresses to the company's suppression list, with one audit entry. Existing entries stay as they are; of
 * several entries for an address, the first counts.
 *
 * @returns the addresses that were new
 */
export async function addSuppressionsInBulk(
  ctx: Context,
  entries: NewSuppression[],
): Promise<Set<string>> {
  const distinct = new Map<string, NewSuppression & { id: string }>();
  for (const entry of entries)
    if (!distinct.has(entry.email)) distinct.set(entry.email, { ...entry, id: uuidv7() });
  return inTransaction(ctx, async (ctx) => {
    // Sorted, so that concurrent callers with the same addresses don't deadlock.
    const rows = await ctx.db.execute<{ email: string }>(sql`
      insert into suppressions (id, company_id, email, origin, created_at)
      select id, ${ctx.companyId}::uuid, email, origin, coalesce("createdAt", clock_timestamp())
      from jsonb_to_recordset(${JSON.stringify([...distinct.values()])}::jsonb)
        as given(id uuid, email text, origin text, "createdAt" timestamptz)
      order by email collate "C"
      on conflict (company_id, email) do nothing
      returning email`);
    const added = rows.map(({ email }) => email);
    if (added.length > 0) await recordAudit(ctx, "suppressions.added", auditSummary(added));
    return new Set(added);
  });
}
