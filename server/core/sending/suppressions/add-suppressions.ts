import { sql } from "drizzle-orm";

import { suppressions } from "#drizzle/schema/index.ts";
import { recordAudits } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";

/**
 * Puts addresses on the company's suppression list by hand, all or none. One that is there already
 * keeps its id and the reason it came for.
 *
 * @param addresses as parseAddress returns them
 * @returns the ids in the order in which the addresses first occur, each once
 */
export async function addSuppressions(ctx: Context, addresses: string[]): Promise<string[]> {
  const distinct = [...new Set(addresses)];
  return inTransaction(ctx, async (ctx) => {
    const rows = await ctx.db
      .insert(suppressions)
      // In order, so that two callers who add the same addresses wait for each other in one direction.
      .values(
        distinct
          .toSorted()
          .map((email) => ({ companyId: ctx.companyId, email, origin: "manual" as const })),
      )
      // An update that changes nothing: the row comes back, held, whoever wrote it.
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
