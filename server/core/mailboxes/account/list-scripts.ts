import { Refusal } from "#server/core/shared/refusals.ts";
import { dovecotAdmin, DovecotError, type SieveScript } from "#server/gateways/dovecot.ts";

/**
 * The Sieve scripts that a person's mail apps manage. They run beside the rules of the pages.
 *
 * @throws Refusal `application_error` when the mail server cannot be asked
 */
export async function listScripts(mailbox: string): Promise<SieveScript[]> {
  try {
    return await dovecotAdmin().sieveScripts(mailbox);
  } catch (error) {
    if (!(error instanceof DovecotError)) throw error;
    throw new Refusal(
      "application_error",
      "The mail server cannot be asked. Try again in a minute",
    );
  }
}
