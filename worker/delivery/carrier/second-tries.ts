import { incompatible, type MissingExtension, type Transaction } from "#mail/smtp/envelope.ts";
import { type Outcome, sameOutcomes } from "#mail/smtp/outcome.ts";
import type { SevenBit } from "#worker/delivery/delivery.ts";

import type { Destination } from "./destinations.ts";

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

type AttemptDelivery = (destination: Destination, transaction: Transaction) => Promise<Outcome[]>;

/**
 * Tries recipients that are delayed by trouble of one mail server at another one, within the same attempt (RFC 5321,
 * 5.1). The other's reply counts if it is final: it accepts the message, or knows that there is no such recipient.
 *
 * @param outcomes of the first mail server, one for each recipient of the transaction
 */
export async function tryOtherHost(
  outcomes: Outcome[],
  destination: Destination,
  transaction: Transaction,
  attempt: AttemptDelivery,
): Promise<Outcome[]> {
  const delayed = outcomes.filter(({ isHostTrouble }) => isHostTrouble);
  const { host } = delayed[0] ?? {};
  if (host === undefined || destination.hosts.every((name) => name === host)) return outcomes;
  const recipients = delayed.map(({ recipient }) => recipient);
  const others = await attempt(withoutHost(destination, host), { ...transaction, recipients });
  const final = others.filter(
    ({ result, suppress }) => result === "delivered" || (result === "bounced" && suppress),
  );
  const byRecipient = new Map(final.map((outcome) => [outcome.recipient, outcome]));
  return outcomes.map((outcome) => byRecipient.get(outcome.recipient) ?? outcome);
}

const withoutHost = (destination: Destination, host: string): Destination => ({
  ...destination,
  key: `${destination.key} without ${host}`,
  hosts: destination.hosts.filter((name) => name !== host),
  async *peers() {
    for await (const peer of destination.peers())
      if ("result" in peer || peer.name !== host) yield peer;
  },
});
