import type { Actor } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { removeAllFactors } from "#server/core/access/second-factors/remove-factor.ts";
import { normalizeAccount } from "#server/core/access/sign-in/throttle.ts";
import type { Db } from "#server/db/client.ts";

import { findPerson } from "./find-person.ts";
import { auditInEachCompany } from "./audit-in-each-company.ts";
import { createResetLink } from "./password-reset.ts";

const AT_THE_SERVER: Actor = { kind: "system", task: "posthouse admin reset-password" };

/**
 * Creates a password reset link at the server's command line, for an admin who is locked out.
 *
 * @param withoutSecondFactor also removes the person's second factors and ends their sessions at once
 * @throws Refusal `not_found` if no one can sign in with the address
 */
export async function createResetLinkAtServer(
  db: Db,
  typed: string,
  { withoutSecondFactor }: { withoutSecondFactor: boolean },
): Promise<{ email: string; link: string }> {
  const person = await findPerson(db, normalizeAccount(typed));
  if (!person) throw new Refusal("not_found", `No admin signs in with "${typed.trim()}"`);
  const { email } = person;
  if (withoutSecondFactor) await removeAllFactors(db, email, AT_THE_SERVER);
  return db.transaction(async (tx) => {
    const details = { email, at: "command_line" };
    await auditInEachCompany(tx, { email, actor: AT_THE_SERVER }, "admin.reset_link_made", details);
    return { email, link: await createResetLink(tx, email, { isMailed: false }) };
  });
}
