import { findOutage } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";

/**
 * Refuses to return Dovecot's counts while Dovecot is down.
 *
 * @throws Refusal `application_error`
 */
export async function requireMailServer({ db }: Pick<CompanyScope, "db">): Promise<void> {
  if (await findOutage(db))
    throw new Refusal("application_error", "The mail server can't be reached. Try again later");
}

/**
 * Checks Dovecot before a change, outside its transaction, since Dovecot may take seconds to respond.
 *
 * @returns a function to call last in the transaction, so that all other errors come first. Throws Refusal
 *   `mail_server_error` with Dovecot's error code if Dovecot is down or rejects commands.
 */
export async function checkMailServer({ db }: Pick<CompanyScope, "db">): Promise<() => void> {
  const outage = await findOutage(db);
  return () => {
    if (!outage) return;
    throw new Refusal("mail_server_error", `The mail server rejected the change: ${outage.code}`);
  };
}
