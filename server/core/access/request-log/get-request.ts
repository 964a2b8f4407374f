import { and, eq } from "drizzle-orm";

import { requestLog, type RequestLogEntry } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** @throws Refusal `not_found` */
export async function getRequest(ctx: Context, id: string): Promise<RequestLogEntry> {
  const [found] = await ctx.db
    .select()
    .from(requestLog)
    .where(and(eq(requestLog.id, id), eq(requestLog.companyId, ctx.companyId)));
  if (!found) throw new Refusal("not_found", "Log not found");
  return found;
}
