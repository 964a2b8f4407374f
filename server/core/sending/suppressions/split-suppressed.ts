import { config } from "#server/config.ts";
import { simulatedRecipient } from "#server/core/sending/test-mode/simulated-recipient.ts";

import { SUPPRESSION_REASONS } from "./find-suppressed.ts";

/** Recipients to send to, and those to skip. */
export type SplitRecipients = {
  remaining: string[];
  skipped: { recipient: string; reason: string }[];
};

/**
 * Splits recipients by the suppression list, and those of test emails also by what their addresses simulate.
 *
 * @param listed the reason why an address is on the company's list, if it is
 */
export function splitSuppressed(
  recipients: string[],
  { isTest, listed }: { isTest: boolean; listed: (address: string) => string | undefined },
): SplitRecipients {
  const reasonOf = (address: string) =>
    isTest && isSimulated(address) ? SUPPRESSION_REASONS.bounce : listed(address);
  const skipped = recipients.flatMap((recipient) => {
    const reason = reasonOf(recipient);
    return reason === undefined ? [] : { recipient, reason };
  });
  if (skipped.length === 0) return { remaining: recipients, skipped };
  return { remaining: recipients.filter((one) => reasonOf(one) === undefined), skipped };
}

const isSimulated = (address: string) =>
  simulatedRecipient(address, config().hostname).kind === "suppressed";
