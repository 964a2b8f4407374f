import { Refusal } from "#server/core/shared/refusals.ts";

import type { EmailResult } from "./email-request.ts";

/** Whether the outbox or the schedule has accepted the email. */
export const isAccepted = (result: EmailResult): result is { id: string; failed: null } =>
  "id" in result && result.failed === null;

/**
 * Returns the id of an accepted email.
 *
 * @throws Refusal the email's own error, or `application_error` if the outbox accepts nothing now and the
 *   email was recorded as failed
 */
export function requireAccepted(result: EmailResult): string {
  if ("refusal" in result) throw result.refusal;
  if (!isAccepted(result))
    throw new Refusal(
      "application_error",
      `The mail server did not accept the email, so it was recorded as failed (ID ${result.id})`,
    );
  return result.id;
}
