import type { ClaimedEmail, ClaimedRecipient } from "#server/core/outbox/claim-due.ts";
import type { RecipientOutcome } from "#server/core/outbox/record-outcomes.ts";
import type { Outcome } from "#worker/delivery/delivery.ts";

type Addressed = Pick<ClaimedEmail, "id" | "recipients">;

const EVENT_OF = {
  delivered: "delivered",
  delayed: "delivery_delayed",
  bounced: "bounced",
} as const;

/**
 * The database says who has a mailbox here. When Dovecot denies one of them, that is its trouble, which
 * passes: it must neither bounce the email nor suppress the address.
 */
export function withoutFalseDenials(
  outcomes: Outcome[],
  mailboxes: { has(address: string): boolean },
): Outcome[] {
  return outcomes.map((outcome) =>
    outcome.result === "bounced" &&
    outcome.dsn.startsWith("5.1.") &&
    mailboxes.has(outcome.recipient)
      ? { ...outcome, result: "delayed", dsn: "4.3.0", suppress: false }
      : outcome,
  );
}

/** Trouble on our side that someone can mend (RFC 3463: 4.3.0, mail system status): tried again later. */
export function troubleOfOurs(recipients: ClaimedRecipient[], message: string): Outcome[] {
  return recipients.map(({ recipient }) => ({
    ...{ recipient, result: "delayed", dsn: "4.3.0", message, suppress: false },
  }));
}

/** An outcome for each recipient, in their order. One of which nothing was said is tried again. */
export function outcomeOfEach(recipients: ClaimedRecipient[], outcomes: Outcome[]): Outcome[] {
  const byRecipient = new Map(outcomes.map((outcome) => [outcome.recipient, outcome]));
  return recipients.flatMap(
    (claimed) =>
      byRecipient.get(claimed.recipient) ?? troubleOfOurs([claimed], "Delivery had no outcome"),
  );
}

/** @param outcomes one for each recipient, in their order */
export function toRecipientOutcomes(email: Addressed, outcomes: Outcome[]): RecipientOutcome[] {
  return email.recipients.map((claimed, at) => {
    const { result, dsn, message, suppress } = outcomes[at]!;
    return { ...rowOf(email, claimed), type: EVENT_OF[result], dsn, message, suppress };
  });
}

/** Nothing can be sent, now or later. */
export function uncomposable(email: Addressed, reason: string): RecipientOutcome[] {
  return email.recipients.map((claimed) => ({ ...rowOf(email, claimed), type: "failed", reason }));
}

function rowOf({ id }: Addressed, { rowId, recipient, attempt }: Addressed["recipients"][0]) {
  return { rowId, emailId: id, recipient, attempt };
}
