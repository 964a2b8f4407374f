import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

import { auditSummary } from "./internal/audit-summary.ts";

/**
 * Adds any number of addresses to the company's suppression list manually, with one audit entry. Existing
 * entries stay as they are.
 *
 * @param addresses as parseAddress returns them
 * @returns the addresses that were new
 */
export async function addSuppressionsInBulk(
  ctx: Context,
  addresses: string[],
): Promise<Set<string>> {
  const distinct = [...new Set(addresses)].map((email) => ({ id: uuidv7(), email }));
  return inTransaction(ctx, async (ctx) => {
    // Sorted, so that concurrent callers with the same addresses don't deadlock.
    const rows = await ctx.db.execute<{ email: string }>(sql`
      insert into suppressions (id, company_id, email, origin)
      select id, ${ctx.companyId}::uuid, email, 'manual'
      from jsonb_to_recordset(${JSON.stringify(distinct)}::jsonb) as given(id uuid, email text)
      order by email collate "C"
      on conflict (company_id, email) do nothing
      returning email`);
    const added = rows.map(({ email }) => email);
    if (added.length > 0) await recordAudit(ctx, "suppressions.added", auditSummary(added));
    return new Set(added);
  });
}
