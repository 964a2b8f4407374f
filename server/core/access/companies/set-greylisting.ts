import { eq } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { lockCompany } from "#server/core/shared/lock-company.ts";

/** Turns greylisting for the company's incoming mail on or off. */
export async function setGreylisting(ctx: Context, isOn: boolean): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { id, greylisting } = await lockCompany(ctx);
    if (greylisting === isOn) return;
    await ctx.db.update(companies).set({ greylisting: isOn }).where(eq(companies.id, id));
    await recordAudit(ctx, `company.greylisting_${isOn ? "enabled" : "disabled"}`, {});
  });
}
