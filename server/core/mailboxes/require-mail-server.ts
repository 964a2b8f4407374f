import { Refusal } from "#server/core/refusals.ts";
import { dovecotAdmin, DovecotError } from "#server/gateways/dovecot.ts";

/**
 * Refuses to read what Dovecot has counted while Dovecot is down.
 *
 * @throws Refusal `application_error`
 */
export async function requireMailServer(): Promise<void> {
  if (await findOutage())
    throw new Refusal("application_error", "The mail server cannot be reached. Try again later");
}

/**
 * Asks Dovecot before a change, outside of its transaction, since an answer may take seconds.
 *
 * @returns to be called last in the transaction: it throws Refusal `mail_server_error`, with Dovecot's
 *   error code, if Dovecot is down or rejects commands. So every other error comes first, and nothing is
 *   changed.
 */
export async function askMailServer(): Promise<() => void> {
  const outage = await findOutage();
  return () => {
    if (!outage) return;
    throw new Refusal("mail_server_error", `The mail server refused the change: ${outage.code}`);
  };
}

async function findOutage(): Promise<DovecotError | null> {
  try {
    await dovecotAdmin().ping();
    return null;
  } catch (error) {
    if (!(error instanceof DovecotError)) throw error;
    return error;
  }
}
