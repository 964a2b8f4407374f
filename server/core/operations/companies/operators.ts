import { and, eq, ne } from "drizzle-orm";

import { people } from "#drizzle/schema/index.ts";
import {
  describePerson,
  type KnownPerson,
  lockKnownPerson,
  requireConfirmed,
} from "#server/core/access/people/known-person.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";

/**
 * Makes an admin an operator, or revokes that. Idempotent.
 *
 * @param ctx of the appliance's own company
 * @returns who it is
 * @throws Refusal `not_found` if no admin signs in with the address; `not_allowed` if it isn't confirmed
 */
export async function setOperator(
  ctx: Context,
  { email: given, isOperator }: { email: string; isOperator: boolean },
): Promise<KnownPerson> {
  const email = given.trim().toLowerCase();
  return inTransaction(ctx, async (ctx) => {
    const person = await lockKnownPerson(ctx.db, email);
    if (!person) throw new Refusal("not_found", `No admin signs in as "${email}"`);
    if (isOperator) requireConfirmed(person, describePerson(person));
    const changed = await ctx.db
      .update(people)
      .set({ isOperator })
      .where(and(eq(people.email, email), ne(people.isOperator, isOperator)))
      .returning({ email: people.email });
    if (changed.length > 0)
      await recordAudit(ctx, isOperator ? "operator.granted" : "operator.revoked", { email });
    return person;
  });
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
