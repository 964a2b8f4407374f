import { sql } from "drizzle-orm";
import { v7 as uuidv7 } from "uuid";

import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

import { auditSummary } from "./internal/audit-summary.ts";

/**
 * Puts as many addresses as there are on the company's suppression list by hand, with one audit entry for
 * all that are new. Those that are there already keep what they came for.
 *
 * @param addresses as parseAddress returns them
 * @returns those that were not there
 */
export async function addSuppressionsInBulk(
  ctx: Context,
  addresses: string[],
): Promise<Set<string>> {
  const distinct = [...new Set(addresses)].map((email) => ({ id: uuidv7(), email }));
  return inTransaction(ctx, async (ctx) => {
    // In order, so that two callers who add the same addresses wait for each other in one direction.
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
