import { Refusal } from "#server/core/shared/refusals.ts";

import type { EmailResult } from "./email-request.ts";

/** An email that the outbox, or the schedule, has taken on. */
export const isAccepted = (result: EmailResult): result is { id: string; failed: null } =>
  "id" in result && result.failed === null;

/**
 * The id of an email that was taken on.
 *
 * @throws Refusal why it was not: its own, or `application_error` when the outbox takes nothing on, with the
 *   email recorded as failed
 */
export function requireAccepted(result: EmailResult): string {
  if ("refusal" in result) throw result.refusal;
  if (!isAccepted(result))
    throw new Refusal("application_error", `The email ${result.id} could not be handed over`);
  return result.id;
}
