import { and, eq, inArray, sql } from "drizzle-orm";
import { z } from "zod";

import { suppressions } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { unseal, seal, SealError } from "#server/core/shared/secrets/seal.ts";

import { auditSummary } from "./internal/audit-summary.ts";

/** The removed rows, for undo. */
const Removed = z.object({
  kind: z.literal("removed_suppressions"),
  companyId: z.string(),
  until: z.number(),
  rows: z.array(
    z.object({
      id: z.string(),
      email: z.string(),
      origin: z.enum(suppressions.origin.enumValues),
      sourceId: z.string().nullable(),
      createdAt: z.string(),
    }),
  ),
});

const UNDO_MS = 3_600_000;

/**
 * Removes entries from the company's suppression list with one audit entry; ids that aren't on it are
 * ignored.
 *
 * @returns how many were removed, and a sealed token for `restoreSuppressions`: only the server decides why
 *   an address is on the list
 */
export async function removeWithUndo(
  ctx: Context,
  ids: string[],
): Promise<{ removed: number; undo: string }> {
  const { companyId } = ctx;
  const rows = await inTransaction(ctx, async (ctx) => {
    const which = and(
      eq(suppressions.companyId, companyId),
      inArray(suppressions.id, ids.filter(isUuid)),
    );
    // Locked in the order in which addresses are added, to avoid deadlocks.
    const held = await ctx.db
      .select()
      .from(suppressions)
      .where(which)
      .orderBy(sql`${suppressions.email} collate "C"`)
      .for("update");
    const heldIds = held.map(({ id }) => id);
    await ctx.db.delete(suppressions).where(inArray(suppressions.id, heldIds));
    const emails = held.map(({ email }) => email);
    if (held.length > 0) await recordAudit(ctx, "suppressions.removed", auditSummary(emails));
    return held;
  });
  const until = ctx.now().getTime() + UNDO_MS;
  const removed = { kind: "removed_suppressions", companyId, until, rows };
  return { removed: rows.length, undo: seal("removed_suppressions", JSON.stringify(removed)) };
}

/**
 * Restores entries removed within the last hour. An address that has been added again meanwhile stays as it
 * is.
 *
 * @returns how many were restored
 * @throws Refusal `invalid` if the token isn't one of this company, or has expired
 */
export async function restoreSuppressions(ctx: Context, undo: string): Promise<number> {
  const { rows } = readRemoved(ctx, undo);
  return inTransaction(ctx, async (ctx) => {
    const back = await ctx.db.execute<{ email: string }>(sql`
      insert into suppressions (id, company_id, email, origin, source_id, created_at)
      select r.id, ${ctx.companyId}::uuid, r.email, r.origin, r."sourceId", r."createdAt"
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as r(
        id uuid, email text, origin text, "sourceId" uuid, "createdAt" timestamptz)
      order by r.email collate "C"
      on conflict do nothing
      returning email`);
    const emails = back.map(({ email }) => email);
    if (emails.length > 0) await recordAudit(ctx, "suppressions.restored", auditSummary(emails));
    return emails.length;
  });
}

function readRemoved(ctx: Context, undo: string) {
  const read = Removed.safeParse(contentOf(undo));
  const isOurs = read.success && read.data.companyId === ctx.companyId;
  if (isOurs && read.data.until > ctx.now().getTime()) return read.data;
  throw new Refusal("invalid", "This can no longer be undone");
}

function contentOf(sealed: string): unknown {
  try {
    return JSON.parse(unseal("removed_suppressions", sealed));
  } catch (error) {
    if (error instanceof SealError || error instanceof SyntaxError) return null;
    throw error;
  }
}
