import type { Relay } from "#server/config.ts";
import type { Failure, Outcome } from "#mail/smtp/outcome.ts";
import type { HostLink } from "#server/gateways/host-link.ts";
import type { DsnRequest } from "#mail/smtp/envelope.ts";

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
  ): Failure | null;
  /**
   * Sends no further message; everything unsent resolves as unsent. Resolves once every sent message has
   * its reply: closing such a connection would deliver the message twice.
   */
  drain(): Promise<void>;
  /** Closes idle connections once running deliveries finish. */
  close(): Promise<void>;
};
