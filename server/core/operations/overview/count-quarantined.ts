import { and, eq, inArray, isNull, sql } from "drizzle-orm";

import { quarantine } from "#drizzle/schema/index.ts";
import type { Context } from "#server/core/shared/context.ts";
import { visibleReasons } from "#server/core/mail/quarantine/visible-reasons.ts";
import type { HeldPrivileges } from "#server/core/access/privileges/held-privileges.ts";

// Bounds the query; the overview doesn't need larger numbers.
export const COUNTED_MAX = 1_000;

/** Messages in quarantine that the admin can decide about, up to 1,000. */
export async function countQuarantined(
  ctx: Context,
  callerPrivileges: HeldPrivileges,
): Promise<number> {
  const some = ctx.db
    .select({ one: sql`1`.as("one") })
    .from(quarantine)
    .where(
      and(
        eq(quarantine.companyId, ctx.companyId),
        inArray(quarantine.reason, visibleReasons(callerPrivileges)),
        isNull(quarantine.releasedAs),
      ),
    )
    .limit(COUNTED_MAX)
    .as("some");
  const [row] = await ctx.db.select({ count: sql<number>`count(*)::int` }).from(some);
  return row!.count;
}
