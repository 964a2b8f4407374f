import type { TlsOutcome } from "#server/core/sending/transport-security/tls-outcome.ts";
import type { SevenBit, Failure } from "#worker/delivery/delivery.ts";
import type { Transaction, MissingExtension } from "#worker/delivery/smtp/envelope.ts";

type Answer<Reply> = {
  answer: Reply;
  /** The server that replied, and how the connection to it was encrypted. */
  host?: string | undefined;
  address?: string | null | undefined;
  tls?: TlsOutcome | null | undefined;
};

/** With the message as it was sent, if it was. */
type Carried = Answer<Failure[] | Failure> & { message?: Buffer };

/** The outcome for each recipient of a transaction, or why it wasn't sent. */
export type Sent = Answer<Failure[] | Failure | MissingExtension>;

/**
 * Sends a transaction as is, or converted to ASCII if the server lacks the extensions it needs. A message that
 * can't be converted bounces; an error in the conversion delays it. Never throws: other transactions of the same message may be
 * delivered already.
 */
export async function sendOrConvert(
  transaction: Transaction,
  sevenBit: SevenBit | undefined,
  send: (transaction: Transaction) => Promise<Sent>,
): Promise<Carried> {
  const { answer, ...server } = await send(transaction);
  if (!("lacks" in answer)) return { answer, ...server, message: transaction.message };
  let message: Buffer | null | undefined = null;
  try {
    if (answer.lacks !== "utf8Address") message = await sevenBit?.();
  } catch (error) {
    return { answer: delay(error) };
  }
  if (!message) return { answer: bounce(answer) };
  const again = await send({ ...transaction, message });
  return "lacks" in again.answer
    ? { answer: bounce(again.answer) }
    : { ...again, answer: again.answer, message };
}

/** RFC 3463, 3.7, and RFC 6531, 4.4. */
const REASONS: Record<MissingExtension["lacks"], [dsn: string, why: string]> = {
  utf8Address: ["5.6.7", "does not accept non-ASCII addresses"],
  utf8Header: ["5.6.9", "does not support SMTPUTF8, and this header can't be converted to ASCII"],
  eightBit: [
    "5.6.3",
    "does not support 8BITMIME, and this message can't be converted without breaking a signature",
  ],
};

function bounce({ lacks, peer }: MissingExtension): Failure {
  const [dsn, why] = REASONS[lacks];
  return { result: "bounced", dsn, message: `${peer} ${why}`, suppress: false };
}

function delay(error: unknown): Failure {
  const message = `The message could not be converted to ASCII: ${String(error)}`;
  return { result: "delayed", dsn: "4.3.0", message, suppress: false };
}
