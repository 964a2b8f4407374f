import { simulatedRecipient } from "#server/core/sending/test-mode/simulated-recipient.ts";

import type { Delivery, Outcome } from "./delivery.ts";

/**
 * The outcomes of a test email, as its recipients' addresses ask for: no DNS, no connection. No address is suppressed.
 * The carrier calls it first, and all connections are opened behind it.
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
