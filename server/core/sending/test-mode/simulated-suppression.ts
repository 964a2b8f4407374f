import { config } from "#server/config.ts";
import {
  type Suppressed,
  SUPPRESSION_REASONS,
} from "#server/core/sending/suppressions/find-suppressed.ts";

import { simulatedRecipient } from "./simulated-recipient.ts";

/** Returns why a recipient of a test email is skipped whatever the suppression list says; null if it isn't. */
export function simulatedSuppression(address: string): Suppressed | null {
  const { kind } = simulatedRecipient(address, config().hostname);
  return kind === "suppressed" ? { origin: "bounce", reason: SUPPRESSION_REASONS.bounce } : null;
}
