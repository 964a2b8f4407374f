import { desc, eq } from "drizzle-orm";

import { requestLog } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";

/** The id of the company's newest stored request, or null. */
export async function getNewestRequestId(ctx: Context): Promise<string | null> {
  const [newest] = await ctx.db
    .select({ id: requestLog.id })
    .from(requestLog)
    .where(eq(requestLog.companyId, ctx.companyId))
    .orderBy(desc(requestLog.createdAt), desc(requestLog.id))
    .limit(1);
  return newest?.id ?? null;
}
