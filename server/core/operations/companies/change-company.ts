import { eq } from "drizzle-orm";

import { companies, type Company } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/** A change of a company with its audit log entry. */
type Change = {
  set: Partial<typeof companies.$inferInsert>;
  action: `company.${string}`;
  details?: Record<string, unknown>;
};

/**
 * Locks the context's company, changes it and records an audit log entry.
 *
 * @param decide returns the change for the current state; null for none
 * @returns whether there was a change
 * @throws Refusal `not_found`
 */
export async function changeCompany(
  ctx: Context,
  decide: (company: Company) => Change | null,
): Promise<boolean> {
  return inTransaction(ctx, async (ctx) => {
    const isCompany = eq(companies.id, ctx.companyId);
    const [company] = await ctx.db.select().from(companies).where(isCompany).for("no key update");
    if (!company) throw new Refusal("not_found", "Company not found");
    const change = decide(company);
    if (!change) return false;
    await ctx.db.update(companies).set(change.set).where(isCompany);
    await recordAudit(ctx, change.action, change.details ?? {});
    return true;
  });
}
