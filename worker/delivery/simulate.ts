import type { Outcome } from "#mail/smtp/outcome.ts";
import { simulatedRecipient } from "#server/core/sending/test-mode/simulated-recipient.ts";

import type { Delivery } from "./delivery.ts";

/**
 * Returns the outcomes that the addresses of a test email's recipients ask for, without DNS or connections. Suppresses
 * no address. The carrier calls it before it opens any connection.
 *
 * @param failures temporary failures so far of each recipient
 */
export const simulateDelivery = (
  { recipients }: Pick<Delivery, "recipients">,
  failures: number[],
  hostname: string,
): Outcome[] =>
  recipients.map((recipient, at) => ({
    ...{ recipient, suppress: false },
    ...simulateOutcome(recipient.toLowerCase(), failures[at] ?? 0, hostname),
  }));

type Simulated = Omit<Outcome, "recipient" | "suppress">;

const ACCEPTED: Simulated = {
  result: "delivered",
  dsn: "2.0.0",
  message: "250 2.0.0 Accepted in test mode",
};

function simulateOutcome(recipient: string, failures: number, hostname: string): Simulated {
  const simulated = simulatedRecipient(recipient, hostname);
  switch (simulated.kind) {
    case "bounced": {
      const { dsn } = simulated;
      return { result: "bounced", dsn, message: `550 ${dsn} Bounced in test mode` };
    }
    case "delayed":
      return failures < simulated.failures
        ? { result: "delayed", dsn: "4.2.0", message: "451 4.2.0 Delayed in test mode" }
        : ACCEPTED;
    case "opened":
    case "clicked":
    case "complained":
      return { ...ACCEPTED, reaction: simulated.kind };
    // Suppressed recipients are skipped before.
    case "suppressed":
    case "delivered":
      return ACCEPTED;
  }
}
