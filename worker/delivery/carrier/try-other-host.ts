import { findCause } from "#server/core/sending/replies/explain-reply.ts";
import type { Failure, Outcome } from "#mail/smtp/outcome.ts";
import type { Transaction } from "#mail/smtp/envelope.ts";

import type { Destination } from "./find-destination.ts";

type Attempt = (destination: Destination, transaction: Transaction) => Promise<Outcome[]>;

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
  attempt: Attempt,
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
