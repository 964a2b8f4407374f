import type { Relay } from "#server/config.ts";
import type { Reaction } from "#server/core/sending/test-mode/record-reaction.ts";
import type { HostLink } from "#server/gateways/host-link.ts";
import type { Throttle } from "#worker/delivery/shaping/read-throttle.ts";
import type { DsnRequest } from "#worker/delivery/smtp/dsn-parameters.ts";

/** Where a message goes: a local mailbox, the mail servers of a domain, the smarthost, or, in test mode, nowhere. */
export type Route =
  | { kind: "simulated" }
  | { kind: "lmtp"; at: { path: string } | HostLink }
  | { kind: "mx"; domain: string }
  | { kind: "relay"; relay: Relay };

/** One message for recipients that share a route. */
export type Delivery = {
  route: Route;
  /** The company that sends the message. Companies take turns on the connections to a destination. */
  companyId?: string;
  /** The domain that the message is sent for. */
  domain?: string | null;
  /** Accepted together with others, so it isn't urgent. */
  isBatch?: boolean | undefined;
  /** When an admin asked to send it now although its destination may be suspended, in epoch milliseconds. */
  retryAskedAt?: number | undefined;
  /** Bare address for MAIL FROM; "" is the null sender. */
  envelopeFrom: string;
  /** Bare addresses for RCPT TO. */
  recipients: string[];
  /** RFC 5322 bytes with CRLF line ends, signed. The carrier does the dot-stuffing. */
  message: Buffer;
  /**
   * Builds the message in ASCII, for a server without 8BITMIME or SMTPUTF8; null if it can't be converted.
   * Omitted for a message that must not be changed.
   */
  sevenBit?: SevenBit | undefined;
  /** Send it even where MTA-STS or DANE can't be satisfied, in clear if need be. */
  isTlsOptional?: boolean;
  /** For servers that offer DSN. */
  dsn?: DsnRequest | undefined;
  /**
   * Set for test emails, with the temporary failures so far of each recipient in their order: no connection is opened
   * for them, whatever their route.
   */
  testFailures?: number[] | undefined;
  /**
   * Asked when the message's turn comes, and again right before its content is sent. If it returns false, nothing is sent:
   * the message waits too long to rely on what its owner knew when it called `deliver`.
   */
  mayBegin?: () => boolean;
};

export type SevenBit = () => Promise<Buffer | null>;

/** Why no attempt was made. */
type NotAttempted =
  /** The destination is suspended. The outcome's message is ours, never the reply to another company's mail. */
  | "suspended"
  /** The destination's rate limit is reached. */
  | "paced"
  /** Today's warm-up quota is used up. The retry period starts at the next attempt. */
  | "warm_up"
  /** The carrier is draining; there is nothing to record. */
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
  reaction?: Reaction;
};

/** An outcome that applies to every recipient alike. */
export type Failure = Omit<Outcome, "recipient">;

/** Delivers messages to other servers. Never throws for a server or network error: that is an outcome. */
export type Carrier = {
  deliver(delivery: Delivery): Promise<Outcome[]>;
  /**
   * Why mail on this route must wait, if that is known before the message is composed; else null.
   *
   * @param sender as in the delivery
   */
  postpone?(
    route: Route,
    sender?: Pick<Delivery, "companyId" | "domain" | "retryAskedAt">,
  ): Omit<Outcome, "recipient"> | null;
  /**
   * Sends no further message; everything unsent resolves as unsent. Resolves once every sent message has
   * its reply: closing such a connection would deliver the message twice.
   */
  drain(): Promise<void>;
  /** Closes idle connections once running deliveries finish. */
  close(): Promise<void>;
};
