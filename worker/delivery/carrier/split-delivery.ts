import type { Delivery, Outcome } from "#worker/delivery/delivery.ts";
import { hasBareLineBreak } from "#worker/delivery/smtp/content.ts";
import { hasUtf8Address, isSafeAddress, type Transaction } from "#worker/delivery/smtp/envelope.ts";

/** Every server accepts this many in one transaction (RFC 5321 §4.5.3.1.8). */
const RECIPIENTS_PER_TRANSACTION_MAX = 100;

/**
 * Splits a delivery into transactions, and bounces what must not be sent. Non-ASCII recipients, which few
 * servers accept, get a transaction of their own.
 */
export function splitDelivery(delivery: Delivery): {
  transactions: Transaction[];
  refused: Outcome[];
} {
  const { envelopeFrom: from, message, dsn } = delivery;
  const recipients = [...new Set(delivery.recipients)];
  const fault = findFault(from, message);
  if (fault) return { transactions: [], refused: recipients.map((to) => refuse(to, fault, false)) };

  const safe = recipients.filter((to) => to !== "" && isSafeAddress(to));
  const refused = recipients
    .filter((to) => !safe.includes(to))
    .map((to) =>
      refuse(to, ["5.1.3", "The address contains characters that aren't allowed in SMTP"], true),
    );
  const isUtf8 = (to: string) => hasUtf8Address({ from: "", recipients: [to] });
  const transactions = [safe.filter((to) => !isUtf8(to)), safe.filter(isUtf8)]
    .flatMap((group) => chunk(group, RECIPIENTS_PER_TRANSACTION_MAX))
    .map((group) => ({ from, recipients: group, message, isFixed: !delivery.sevenBit, dsn }));
  return { transactions, refused };
}

type Fault = [dsn: string, message: string];

function findFault(from: string, message: Buffer): Fault | null {
  if (!isSafeAddress(from))
    return ["5.1.7", "The sender address contains characters that aren't allowed in SMTP"];
  if (hasBareLineBreak(message))
    return ["5.6.0", "The message has a CR or LF that is not part of a line end"];
  return null;
}

function refuse(recipient: string, [dsn, message]: Fault, suppress: boolean): Outcome {
  return { recipient, result: "bounced", dsn, message, suppress };
}

function chunk<Item>(items: Item[], size: number): Item[][] {
  return Array.from({ length: Math.ceil(items.length / size) }, (_, at) =>
    items.slice(at * size, (at + 1) * size),
  );
}
