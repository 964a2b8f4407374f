import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";

/** Returns the addresses that are on the company's suppression list. */
export async function filterSuppressed(ctx: Context, addresses: string[]): Promise<Set<string>> {
  const rows = await ctx.db.execute<{ email: string }>(sql`
    select s.email
    from jsonb_array_elements_text(${JSON.stringify(addresses)}::jsonb) as given(email)
      join suppressions s on s.company_id = ${ctx.companyId} and s.email = given.email`);
  return new Set(rows.map(({ email }) => email));
}
