import { and, eq, inArray, type SQL, sql } from "drizzle-orm";

import { type Suppression, suppressions } from "#drizzle/schema/index.ts";
import { recordAudits } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/page.ts";

import { byIdOrAddress, suppressionNotFound } from "./internal/by-id-or-address.ts";

/**
 * Removes an entry from the company's suppression list by id or address. Emails go to the address again until
 * it bounces again.
 *
 * @returns its id
 * @throws Refusal `not_found`
 */
export async function removeSuppression(ctx: Context, idOrAddress: string): Promise<string> {
  const [removed] = await remove(ctx, byIdOrAddress(ctx, idOrAddress));
  if (!removed) throw suppressionNotFound();
  return removed.id;
}

/**
 * Removes many entries at once; those not on the list are ignored.
 *
 * @param named addresses as parseRecipient returns them, or ids
 * @returns their ids, in the order in which they were first named
 */
export async function removeSuppressions(
  ctx: Context,
  named: { emails: string[] } | { ids: string[] },
): Promise<string[]> {
  const byEmail = "emails" in named;
  const names = byEmail
    ? [...new Set(named.emails)]
    : [...new Set(named.ids.filter(isUuid).map((id) => id.toLowerCase()))];
  const removed = await remove(
    ctx,
    and(
      eq(suppressions.companyId, ctx.companyId),
      inArray(byEmail ? suppressions.email : suppressions.id, names),
    ),
  );
  const ids = new Map(removed.map(({ id, email }) => [byEmail ? email : id, id]));
  return names.flatMap((name) => ids.get(name) ?? []);
}

function remove(ctx: Context, which: SQL | undefined): Promise<Suppression[]> {
  return inTransaction(ctx, async (ctx) => {
    // Locked in the order in which addresses are added, to avoid deadlocks.
    const held = await ctx.db
      .select()
      .from(suppressions)
      .where(which)
      .orderBy(sql`${suppressions.email} collate "C"`)
      .for("update");
    if (held.length === 0) return [];
    await ctx.db.delete(suppressions).where(
      inArray(
        suppressions.id,
        held.map(({ id }) => id),
      ),
    );
    const entries = held.map(({ id, email, origin }) => ({ suppressionId: id, email, origin }));
    await recordAudits(ctx, "suppression.removed", entries);
    return held;
  });
}
