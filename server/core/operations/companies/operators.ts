import { and, eq, ne } from "drizzle-orm";

import { companies, people } from "#drizzle/schema/index.ts";
import {
  describePerson,
  type KnownPerson,
  lockKnownPerson,
  requireConfirmed,
} from "#server/core/access/people/people.ts";
import { endGivenCredentials } from "#server/core/access/sign-in/steps.ts";
import { ensurePlatformCompany } from "#server/core/domains/own-domain/own-domain.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { isUuid } from "#server/core/shared/paging/pages.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/**
 * Grants or revokes operator access. Idempotent.
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
    if (isOperator) {
      requireConfirmed(person, describePerson(person));
      await endGivenCredentials(ctx.db, [email]);
    }
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

/** The operator who makes a request. */
export type Operator = Pick<Context, "db" | "now"> & { email: string };

/**
 * The context for an operator's actions on a company, including sandbox and platform. They are recorded in the
 * company's audit log.
 *
 * @throws Refusal `not_found`
 */
export async function operatorContext(operator: Operator, companyId: string): Promise<Context> {
  const [found] = isUuid(companyId)
    ? await operator.db
        .select({ id: companies.id })
        .from(companies)
        .where(eq(companies.id, companyId))
    : [];
  if (!found) throw new Refusal("not_found", "Company not found");
  return contextOf(operator, found.id);
}

/** The context for an operator's actions on the whole appliance, recorded in its own company's audit log. */
export const applianceContext = async (operator: Operator): Promise<Context> =>
  contextOf(operator, await ensurePlatformCompany(operator.db));

const contextOf = ({ db, now, email }: Operator, companyId: string): Context => ({
  db,
  now,
  companyId,
  actor: { kind: "operator", email },
});
