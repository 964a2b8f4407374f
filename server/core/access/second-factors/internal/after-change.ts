import type { Actor } from "#server/core/shared/context.ts";
import { notifyPerson } from "#server/core/access/people/notify-person.ts";
import { auditInEachCompany } from "#server/core/access/people/audit-in-each-company.ts";
import { endPersonSteps } from "#server/core/access/sign-in/steps.ts";
import type { Db } from "#server/db/client.ts";

import type { FactorChange } from "#server/core/access/second-factors/factor-owner.ts";

/**
 * Follows every change of a person's factors, in its transaction: ends pending sign-in steps, audits the
 * change in each company and notifies the person by email.
 */
export async function afterFactorChange(
  db: Db,
  { email, actor }: { email: string; actor?: Actor },
  what: FactorChange,
  details: Record<string, unknown> = {},
): Promise<void> {
  await endPersonSteps(db, email);
  const whom = { email, ...(actor && { actor }) };
  await auditInEachCompany(db, whom, `second_factor.${what}`, { email, ...details });
  await notifyPerson(db, { email, what });
}
