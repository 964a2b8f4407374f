import { eq } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

/** Turns greylisting for the company's incoming mail on or off. */
export async function setGreylisting(ctx: Context, isOn: boolean): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const isCompany = eq(companies.id, ctx.companyId);
    const [company] = await ctx.db
      .select({ greylisting: companies.greylisting })
      .from(companies)
      .where(isCompany)
      .for("no key update");
    if (!company) throw new Error(`There is no company ${ctx.companyId}`);
    if (company.greylisting === isOn) return;
    await ctx.db.update(companies).set({ greylisting: isOn }).where(isCompany);
    await recordAudit(ctx, `company.greylisting_${isOn ? "enabled" : "disabled"}`, {});
  });
}
