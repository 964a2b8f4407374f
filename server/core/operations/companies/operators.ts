import { eq } from "drizzle-orm";

import { people } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Makes an admin an operator, or revokes that. Idempotent.
 *
 * @param ctx of the appliance's own company
 * @throws Refusal `not_found` if no admin signs in with the address
 */
export async function setOperator(
  ctx: Context,
  { email: given, isOperator }: { email: string; isOperator: boolean },
): Promise<{ email: string }> {
  const email = given.trim().toLowerCase();
  await inTransaction(ctx, async (ctx) => {
    const hasEmail = eq(people.email, email);
    const [person] = await ctx.db.select().from(people).where(hasEmail).for("no key update");
    if (!person) throw new Refusal("not_found", `No admin signs in as "${email}"`);
    if (person.isOperator === isOperator) return;
    await ctx.db.update(people).set({ isOperator }).where(hasEmail);
    await recordAudit(ctx, isOperator ? "operator.granted" : "operator.revoked", { email });
  });
  return { email };
}

/** The operators' addresses, sorted. */
export async function listOperators(db: Db): Promise<string[]> {
  const rows = await db
    .select({ email: people.email })
    .from(people)
    .where(eq(people.isOperator, true))
    .orderBy(people.email);
  return rows.map(({ email }) => email);
}
