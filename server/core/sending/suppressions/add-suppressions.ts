import { sql } from "drizzle-orm";

import { suppressions } from "#drizzle/schema/index.ts";
import { recordAudits } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

/**
 * Adds addresses to the company's suppression list manually, all or none. Existing entries keep their id and
 * origin.
 *
 * @param addresses as parseRecipient returns them
 * @returns the ids in the order in which the addresses first occur, each once
 */
export async function addSuppressions(ctx: Context, addresses: string[]): Promise<string[]> {
  const distinct = [...new Set(addresses)];
  return inTransaction(ctx, async (ctx) => {
    const rows = await ctx.db
      .insert(suppressions)
      // Sorted, so that concurrent callers with the same addresses don't deadlock.
      .values(
        distinct
          .toSorted()
          .map((email) => ({ companyId: ctx.companyId, email, origin: "manual" as const })),
      )
      // A no-op update: returns and locks the existing row.
      .onConflictDoUpdate({
        target: [suppressions.companyId, suppressions.email],
        set: { email: sql`excluded.email` },
      })
      .returning({
        id: suppressions.id,
        email: suppressions.email,
        isNew: sql<boolean>`${suppressions}.xmax = 0`,
      });
    const added = rows.filter(({ isNew }) => isNew);
    const entries = added.map(({ id, email }) => ({ suppressionId: id, email }));
    await recordAudits(ctx, "suppression.added", entries);
    const ids = new Map(rows.map(({ email, id }) => [email, id]));
    return distinct.map((email) => ids.get(email)!);
  });
}
