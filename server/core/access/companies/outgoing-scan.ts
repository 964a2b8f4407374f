import { eq, ne } from "drizzle-orm";

import { companies, type Company } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { PromiseCache } from "#server/core/shared/promise-cache.ts";
import type { Db } from "#server/db/client.ts";

const CACHE_TTL_MS = 2_000;

/** What happens to spam in outgoing mail, by company. */
type ScanningCompanies = Map<string, Exclude<Company["outgoingScan"], "off">>;

const cache = new PromiseCache<ScanningCompanies>({ max: 1, ttlMs: CACHE_TTL_MS });

let lastRead: ScanningCompanies | undefined;

/**
 * The companies whose outgoing mail is scanned, cached because every message needs them. Without the database they are
 * those of the last read, so that a restart of it doesn't delay mail that is about to be sent.
 */
export function scanningCompanies(db: Db): Promise<ScanningCompanies> {
  return cache.get("companies", async () => {
    try {
      return (lastRead = await readScanningCompanies(db));
    } catch (error) {
      if (lastRead) return lastRead;
      throw error;
    }
  });
}

async function readScanningCompanies(db: Db): Promise<ScanningCompanies> {
  const rows = await db
    .select({ id: companies.id, action: companies.outgoingScan })
    .from(companies)
    .where(ne(companies.outgoingScan, "off"));
  return new Map(rows.flatMap(({ id, action }) => (action === "off" ? [] : [[id, action]])));
}

/** Changes what happens to spam in outgoing mail, in all processes within two seconds. */
export async function setOutgoingScan(ctx: Context, to: Company["outgoingScan"]): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const isCompany = eq(companies.id, ctx.companyId);
    const [company] = await ctx.db
      .select({ from: companies.outgoingScan })
      .from(companies)
      .where(isCompany)
      .for("no key update");
    if (!company) throw new Error(`There is no company ${ctx.companyId}`);
    if (company.from === to) return;
    await ctx.db.update(companies).set({ outgoingScan: to }).where(isCompany);
    await recordAudit(ctx, "company.outgoing_scan_changed", { from: company.from, to });
  });
  cache.clear();
}
