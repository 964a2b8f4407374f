import type { LeasedEmail, LeasedRecipient } from "#server/core/sending/outbox/email-leases.ts";
import type { LeaseOutcome } from "#server/core/sending/outbox/record-outcomes.ts";
import type { Outcome } from "#mail/smtp/outcome.ts";

type Addressed = Pick<LeasedEmail, "id" | "recipients">;

/**
 * Defers deliveries that Dovecot rejects for a mailbox that exists here. The database is authoritative for
 * mailboxes, so "no such user" is a fault in Dovecot, and a full mailbox may have room later. Neither
 * bounces the email nor suppresses the address.
 */
export function deferLocalRejections(
  outcomes: Outcome[],
  mailboxes: { has(address: string): boolean },
): Outcome[] {
  return outcomes.map((outcome) => {
    const dsn = outcome.result === "bounced" && localDeferral(outcome.dsn);
    return dsn && mailboxes.has(outcome.recipient)
      ? { ...outcome, result: "delayed", dsn, suppress: false }
      : outcome;
  });
}

function localDeferral(dsn: string): string | null {
  if (dsn === "5.2.2") return "4.2.2";
  return dsn.startsWith("5.1.") ? "4.3.0" : null;
}

/** A temporary problem on our side (RFC 3463: 4.3.0, mail system status), retried later. */
export function delayedOutcomes(recipients: LeasedRecipient[], message: string): Outcome[] {
  return recipients.map(({ recipient }) => ({
    recipient,
    result: "delayed",
    dsn: "4.3.0",
    message,
    suppress: false,
  }));
}

/** An outcome for each recipient, in their order. A recipient without one is retried. */
export function alignOutcomes(recipients: LeasedRecipient[], outcomes: Outcome[]): Outcome[] {
  const byRecipient = new Map(outcomes.map((outcome) => [outcome.recipient, outcome]));
  return recipients.flatMap(
    (leased) =>
      byRecipient.get(leased.recipient) ?? delayedOutcomes([leased], "The delivery had no outcome"),
  );
}

/**
 * Leaves out recipients that the carrier was not to attempt any more; there is nothing to record about them. `revoked`
 * are those that must be leased again; the pump releases the others when it stops.
 *
 * @param outcomes one for each recipient, in their order
 */
export function withoutUnsent<Item extends { recipients: LeasedRecipient[] }>(
  item: Item,
  outcomes: Outcome[],
): { item: Item; outcomes: Outcome[]; revoked: LeasedRecipient[] } {
  const is = (at: number, why: Outcome["notAttempted"]) => outcomes[at]!.notAttempted === why;
  const isSent = (at: number) => !is(at, "draining") && !is(at, "revoked");
  const recipients = item.recipients.filter((_, at) => isSent(at));
  return {
    item: { ...item, recipients },
    outcomes: outcomes.filter((_, at) => isSent(at)),
    revoked: item.recipients.filter((_, at) => is(at, "revoked")),
  };
}

/** @param outcomes one for each recipient, in their order */
export const toRecipientOutcomes = (
  { id: emailId, recipients }: Addressed,
  outcomes: Outcome[],
): LeaseOutcome[] =>
  recipients.map(({ rowId, recipient, attempt }, at) => ({
    ...outcomes[at]!,
    rowId,
    emailId,
    recipient,
    attempt,
  }));

/** The message can never be sent. */
export const toFailedOutcomes = (
  { id: emailId, recipients }: Addressed,
  reason: string,
): LeaseOutcome[] =>
  recipients.map(({ rowId, recipient, attempt }) => ({
    rowId,
    emailId,
    recipient,
    attempt,
    result: "failed",
    reason,
    isWhole: true,
  }));
