import { eq } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

import { lockCompany } from "./lock-company.ts";

/** No session is longer: a browser forgets its cookie then. */
const SESSION_HOURS_MAX = 336;

/**
 * Changes how long a session at the console lasts, also for those that run: what is older is over at once.
 *
 * @throws Refusal `invalid` beginning with `session_hours_max`
 */
export async function changeSessionHours(ctx: Context, hours: number): Promise<void> {
  if (!Number.isInteger(hours) || hours < 1 || hours > SESSION_HOURS_MAX)
    throw new Refusal(
      "invalid",
      `session_hours_max: must be a whole number of hours from 1 to ${SESSION_HOURS_MAX}`,
    );
  await inTransaction(ctx, async (ctx) => {
    const { sessionHoursMax: from } = await lockCompany(ctx);
    if (from === hours) return;
    await ctx.db
      .update(companies)
      .set({ sessionHoursMax: hours })
      .where(eq(companies.id, ctx.companyId));
    await recordAudit(ctx, "company.session_hours_changed", { from, to: hours });
  });
}
