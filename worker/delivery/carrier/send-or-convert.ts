import {
  incompatible,
  type MissingExtension,
  type Transaction,
} from "#mail/smtp/envelope.ts";
import { type Outcome, sameOutcomes } from "#mail/smtp/outcome.ts";
import type { SevenBit } from "#worker/delivery/delivery.ts";

/**
 * Sends a transaction as is, or converted to ASCII if the server lacks the extensions it needs. A message that
 * can't be converted bounces; an error in the conversion delays it. Never throws: other transactions of the same message may be
 * delivered already.
 */
export async function sendOrConvert(
  transaction: Transaction,
  sevenBit: SevenBit | undefined,
  send: (transaction: Transaction) => Promise<Outcome[] | MissingExtension>,
): Promise<Outcome[]> {
  const { recipients } = transaction;
  const sent = await send(transaction);
  if (!("lacks" in sent)) return sent;
  let message: Buffer | null | undefined = null;
  try {
    if (sent.lacks !== "utf8Address") message = await sevenBit?.();
  } catch (error) {
    return sameOutcomes(recipients, {
      result: "delayed",
      dsn: "4.3.0",
      message: `The message could not be converted to ASCII: ${String(error)}`,
      suppress: false,
    });
  }
  if (!message) return sameOutcomes(recipients, incompatible(sent));
  const again = await send({ ...transaction, message });
  return "lacks" in again ? sameOutcomes(recipients, incompatible(again)) : again;
}
