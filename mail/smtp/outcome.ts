import { createHash } from "node:crypto";

import { formatTls, type TlsOutcome } from "./tls.ts";

/**
 * Why a server throttles this machine: too many connections, too much mail, or a poor reputation. `block`: it
 * rejects this machine with 5xx.
 */
export type Throttle = "connections" | "rate" | "reputation" | "block";

/** Why no attempt was made. */
type NotAttempted =
  /** The destination is suspended. The outcome's message is ours, never the reply to another company's mail. */
  | "suspended"
  /** The destination's rate limit is reached. */
  | "paced"
  /** Today's warm-up quota is used up. The retry period starts at the next attempt. */
  | "warm_up"
  /** The process is stopping; there is nothing to record. */
  | "draining"
  /** `mayBegin` returned false; there is nothing to record. */
  | "revoked";

/** The result of one attempt for one recipient. */
export type Outcome = {
  recipient: string;
  result: "delivered" | "delayed" | "bounced";
  /** Enhanced status code (RFC 3463), derived from the reply code if the server gave none. */
  dsn: string;
  /** The server's reply on one line, or a description of the error. */
  message: string;
  /** The server that replied, by the name that was looked up. */
  host?: string;
  /** Its IP address; unset for a mailbox store on this host. */
  address?: string;
  /** SHA-256 of the message as sent, in hex, if it was delivered to any recipient of the transaction. */
  messageHash?: string;
  /** How the connection was encrypted, or why not (`formatTls`). Unset for hosts of our own and without a connection. */
  tls?: string;
  /** A permanent failure about the recipient: the address goes on the suppression list. */
  suppress: boolean;
  /** The server rejects this machine by address or reputation, so all other mail to it would fail too. */
  isBlock?: true;
  /** The reply came after RCPT, so it may be a rule of the recipient's domain only. */
  isAfterRecipient?: true;
  /** The server asks this machine to slow down, or rejects it. */
  throttle?: Throttle;
  /** The rejection may be the trouble of this host alone. */
  isHostTrouble?: true;
  /** When the destination's limits allow another attempt, in epoch milliseconds. */
  retryAt?: number;
  /** Set if no attempt was made. */
  notAttempted?: NotAttempted;
  /** The server takes over the notifications that were asked for (RFC 3461, 5.2.2). */
  isDsnRelayed?: true;
  /** What the recipient of a test email does after the delivery. */
  reaction?: "opened" | "clicked" | "complained";
};

/** An outcome that applies to every recipient alike. */
export type Failure = Omit<Outcome, "recipient">;

/** Makes a failure temporary, so that nothing bounces. */
export const delayed = ({ dsn, ...failure }: Failure): Failure => ({
  ...failure,
  result: "delayed",
  dsn: dsn.replace(/^5/, "4"),
  suppress: false,
});

/** The outcome of messages that aren't sent because Posthouse is stopping. */
export const STOPPING: Failure = {
  result: "delayed",
  dsn: "4.3.2",
  message: "Posthouse is stopping",
  suppress: false,
  notAttempted: "draining",
};

export const sameOutcomes = (recipients: string[], failure: Failure): Outcome[] =>
  recipients.map((recipient) => ({ recipient, ...failure }));

type Sent = { recipients: string[]; message: Buffer };
type Server = { wire: { peer: string; remoteAddress: string | null }; tls: TlsOutcome | null };

/** The outcomes of a transaction's recipients, with what is known about the server that replied. */
export function toOutcomes(
  { recipients, message }: Sent,
  replies: Failure[],
  { wire, tls }: Server,
): Outcome[] {
  const server = {
    host: wire.peer,
    ...(wire.remoteAddress !== null && { address: wire.remoteAddress }),
    ...(tls && { tls: formatTls(tls) }),
    ...(replies.some(({ result }) => result === "delivered") && { messageHash: sha256(message) }),
  };
  return recipients.map((recipient, at) => ({ recipient, ...server, ...replies[at]! }));
}

const sha256 = (message: Buffer): string => createHash("sha256").update(message).digest("hex");

export function sortByRecipients(recipients: string[], outcomes: Outcome[]): Outcome[] {
  const byRecipient = new Map(outcomes.map((outcome) => [outcome.recipient, outcome]));
  return recipients.map((recipient) => byRecipient.get(recipient)!);
}
