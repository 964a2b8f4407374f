import { findCause } from "#server/core/sending/replies/explain-reply.ts";
import type { Failure, Outcome } from "#worker/delivery/delivery.ts";
import type { Transaction } from "#worker/delivery/smtp/envelope.ts";

import type { Destination } from "./find-destination.ts";

/** Causes with which the host asks the sender to wait: another host would reply the same. */
const WAITS = new Set(["greylisted", "rate_limited", "mailbox_busy"]);

/**
 * Whether a temporary rejection after the connection was opened may be the trouble of one host: its disk is full, say, or
 * a lookup fails. Not so if it is about security or policy (RFC 3463, 4.7.x), which often means greylisting.
 */
export function indicatesHostTrouble({ result, dsn, message, throttle }: Failure): boolean {
  if (result !== "delayed" || throttle || dsn.startsWith("4.7.")) return false;
  return !WAITS.has(findCause({ dsn, message }));
}

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
