import { eq, ne } from "drizzle-orm";

import { companies, type Company } from "#drizzle/schema/index.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction, lockCompany } from "#server/core/shared/context.ts";
import { PromiseCache } from "#server/core/shared/caches.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

const CACHE_TTL_MS = 2_000;

/** What happens to spam in outgoing mail. `off`: it isn't scanned. */
export type OutgoingScan = Company["outgoingScan"];

export type OutgoingScans = {
  /** The minimum for every company: the operator's setting. */
  minimum: OutgoingScan;
  /** What companies chose, except `off`. */
  chosen: Map<string, OutgoingScan>;
};

/** Each is stricter than the one before. */
const STRICTNESS = ["off", "reject", "hold"] as const satisfies OutgoingScan[];

const cache = new PromiseCache<OutgoingScans>({ max: 1, ttlMs: CACHE_TTL_MS });

let lastRead: OutgoingScans | undefined;

export const stricterScan = (one: OutgoingScan, other: OutgoingScan): OutgoingScan =>
  STRICTNESS.indexOf(one) > STRICTNESS.indexOf(other) ? one : other;

/**
 * Whose outgoing mail is scanned, cached because every message needs it. Without the database it is that of the last
 * read, so that a restart of it doesn't delay mail that is about to be sent.
 */
export function outgoingScans(db: Db): Promise<OutgoingScans> {
  return cache.get("companies", async () => {
    try {
      return (lastRead = await readOutgoingScans(db));
    } catch (error) {
      if (lastRead) return lastRead;
      throw error;
    }
  });
}

/** What happens to spam in a company's outgoing mail. */
export const scanOf = ({ minimum, chosen }: OutgoingScans, companyId: string): OutgoingScan =>
  stricterScan(minimum, chosen.get(companyId) ?? "off");

async function readOutgoingScans(db: Db): Promise<OutgoingScans> {
  const [minimum, rows] = await Promise.all([
    readMinimumScan(db),
    db
      .select({ id: companies.id, action: companies.outgoingScan })
      .from(companies)
      .where(ne(companies.outgoingScan, "off")),
  ]);
  return { minimum, chosen: new Map(rows.map(({ id, action }) => [id, action])) };
}

/** The operator's setting. */
export async function readMinimumScan(db: Db): Promise<OutgoingScan> {
  const { outgoing_scan_minimum: minimum } = await readSettings(db);
  // The setting's pattern allows no other value.
  return minimum as OutgoingScan;
}

/**
 * Changes what happens to spam in outgoing mail, in all processes within two seconds.
 *
 * @throws Refusal `invalid` if the operator requires a stricter one
 */
export async function setOutgoingScan(ctx: Context, to: OutgoingScan): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    const minimum = await readMinimumScan(ctx.db);
    if (stricterScan(minimum, to) !== to)
      throw new Refusal("invalid", `outgoing_scan: The operator requires at least "${minimum}"`);
    const { id, outgoingScan: from } = await lockCompany(ctx);
    if (from === to) return;
    await ctx.db.update(companies).set({ outgoingScan: to }).where(eq(companies.id, id));
    await recordAudit(ctx, "company.outgoing_scan_changed", { from, to });
  });
  cache.clear();
}
