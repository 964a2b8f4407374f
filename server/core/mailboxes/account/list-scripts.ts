import { dovecotOf } from "#server/core/mailboxes/mail-hosts/dovecots.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import { DovecotError, type SieveScript } from "#server/gateways/dovecot.ts";

/**
 * Lists the Sieve scripts that the user's mail apps manage. They run in addition to the rules set in
 * `/account`.
 *
 * @throws Refusal `application_error` if the mail server doesn't respond
 */
export async function listScripts(
  { db }: Pick<CompanyScope, "db">,
  mailbox: string,
): Promise<SieveScript[]> {
  const dovecot = await dovecotOf(db, mailbox);
  try {
    return await dovecot.sieveScripts(mailbox);
  } catch (error) {
    if (!(error instanceof DovecotError)) throw error;
    throw new Refusal(
      "application_error",
      "The mail server isn't responding. Try again in a minute",
    );
  }
}
