import type { Actor } from "#server/core/shared/context.ts";
import type { PersonalNotice } from "#server/core/platform/notices/notify-owners.ts";
import { notifyPerson } from "#server/core/access/people/notify-person.ts";
import { auditInEachCompany } from "#server/core/access/people/in-each-company.ts";
import { endStepsOf } from "#server/core/access/sign-in/steps.ts";
import type { Db } from "#server/db/client.ts";

/** What happened to a person's factors: audited as `second_factor.` and this. */
type FactorChange = Exclude<PersonalNotice, "password_changed">;

/**
 * What follows from every change of a person's factors, inside its transaction: sign-ins that are under
 * way are over, each company's audit log has it, and the person is told by email.
 */
export async function afterFactorChange(
  db: Db,
  { email, actor }: { email: string; actor?: Actor },
  what: FactorChange,
  details: Record<string, unknown> = {},
): Promise<void> {
  await endStepsOf(db, email);
  const whom = { email, ...(actor && { actor }) };
  await auditInEachCompany(db, whom, `second_factor.${what}`, { email, ...details });
  await notifyPerson(db, { email, what });
}
