import { eq } from "drizzle-orm";

import { companies } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type CompanyScope, type Context, inTransaction } from "#server/core/shared/context.ts";
import { lockCompany } from "#server/core/shared/lock-company.ts";
import { PromiseCache } from "#server/core/shared/promise-cache.ts";

const CACHE_TTL_MS = 2_000;
const ENTRIES_MAX = 10_000;

const cache = new PromiseCache<boolean>({ max: ENTRIES_MAX, ttlMs: CACHE_TTL_MS });

/** Whether the company uses greylisting, cached because every recipient of incoming mail needs it and few companies do. */
export function hasGreylisting({ db, companyId }: CompanyScope): Promise<boolean> {
  return cache.get(companyId, async () => {
    const [company] = await db
      .select({ greylisting: companies.greylisting })
      .from(companies)
      .where(eq(companies.id, companyId));
    return company?.greylisting ?? false;
  });
}

/** Turns greylisting for the company's incoming mail on or off, in all processes within two seconds. */
export async function setGreylisting(ctx: Context, isOn: boolean): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const { id, greylisting } = await lockCompany(ctx);
    if (greylisting === isOn) return;
    await ctx.db.update(companies).set({ greylisting: isOn }).where(eq(companies.id, id));
    await recordAudit(ctx, `company.greylisting_${isOn ? "enabled" : "disabled"}`, {});
  });
  cache.clear();
}
