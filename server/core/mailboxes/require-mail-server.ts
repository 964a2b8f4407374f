import { Refusal } from "#server/core/refusals.ts";
import { dovecotAdmin, DovecotError } from "#server/gateways/dovecot.ts";

/**
 * Refuses while Dovecot does not answer or refuses commands: before a change, so that nothing of it is
 * done, and before a reading of what Dovecot has counted. Outside of transactions: it may take seconds
 * to find that out.
 *
 * @throws Refusal `mail_server_error` for a change, with Dovecot's error code; `application_error` for
 *   a reading
 */
export async function requireMailServer(purpose: "read" | "change"): Promise<void> {
  try {
    await dovecotAdmin().ping();
  } catch (error) {
    if (!(error instanceof DovecotError)) throw error;
    throw purpose === "change"
      ? new Refusal("mail_server_error", `The mail server refused the change: ${error.code}`)
      : new Refusal("application_error", "The mail server cannot be reached. Try again later");
  }
}
