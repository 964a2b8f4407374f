import { Refusal } from "#server/core/shared/refusals.ts";
import { dovecotAdmin, DovecotError } from "#server/gateways/dovecot.ts";

/**
 * Refuses to return Dovecot's counts while Dovecot is down.
 *
 * @throws Refusal `application_error`
 */
export async function requireMailServer(): Promise<void> {
  if (await findOutage())
    throw new Refusal("application_error", "The mail server can't be reached. Try again later");
}

/**
 * Checks Dovecot before a change, outside its transaction, since Dovecot may take seconds to respond.
 *
 * @returns a function to call last in the transaction, so that all other errors come first. Throws Refusal
 *   `mail_server_error` with Dovecot's error code if Dovecot is down or rejects commands.
 */
export async function checkMailServer(): Promise<() => void> {
  const outage = await findOutage();
  return () => {
    if (!outage) return;
    throw new Refusal("mail_server_error", `The mail server rejected the change: ${outage.code}`);
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
