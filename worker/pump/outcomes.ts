import type { LeasedEmail, LeasedRecipient } from "#server/core/sending/outbox/lease-due-emails.ts";
import type { RecipientOutcome } from "#server/core/sending/outbox/record-outcomes.ts";
import type { Outcome } from "#mail/smtp/outcome.ts";

type Addressed = Pick<LeasedEmail, "id" | "recipients">;

const EVENT_TYPES = {
  delivered: "delivered",
  delayed: "delivery_delayed",
  bounced: "bounced",
} as const;

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
    ...{ recipient, result: "delayed", dsn: "4.3.0", message, suppress: false },
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
export function toRecipientOutcomes(email: Addressed, outcomes: Outcome[]): RecipientOutcome[] {
  return email.recipients.map((leased, at) => {
    const outcome = outcomes[at]!;
    const { result, dsn, message, suppress, tls, reaction } = outcome;
    const row = {
      ...{ ...outcomeRow(email, leased), type: EVENT_TYPES[result], dsn, message, suppress },
      ...(tls && { tls }),
      ...(reaction && { reaction }),
      ...(result === "delivered" && proofOf(outcome)),
    };
    return outcome.retryAt === undefined ? row : { ...row, ...retryTerms(outcome, leased) };
  });
}

/** What a receipt says about a delivery. */
const proofOf = ({ host, address, messageHash }: Outcome) => ({
  ...(host !== undefined && address !== undefined && { server: host, serverAddress: address }),
  ...(messageHash !== undefined && { messageHash }),
});

/**
 * When a recipient of a limited destination is tried again. Only its first wait is worth an entry in the history: it
 * tells why. A wait for a warm-up always is: it tells until when.
 */
export function retryTerms(
  { retryAt, notAttempted }: Outcome,
  { attempt }: Pick<LeasedRecipient, "attempt">,
): { retryAt?: number; isQuiet?: boolean; isWarmUp?: boolean } {
  if (retryAt === undefined) return {};
  if (notAttempted === "warm_up") return { retryAt, isWarmUp: true };
  const isQuiet = notAttempted === "paced" || (notAttempted === "suspended" && attempt > 0);
  return { retryAt, isQuiet };
}

/** The message can never be sent. */
export function toFailedOutcomes(email: Addressed, reason: string): RecipientOutcome[] {
  return email.recipients.map((leased) => ({
    ...outcomeRow(email, leased),
    type: "failed",
    isWhole: true,
    reason,
  }));
}

function outcomeRow({ id }: Addressed, { rowId, recipient, attempt }: Addressed["recipients"][0]) {
  return { rowId, emailId: id, recipient, attempt };
}
