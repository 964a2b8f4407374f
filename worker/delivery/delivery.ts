import type { Relay } from "#server/config.ts";

/** Where a message goes: a mailbox here, the mail hosts of a domain, or the smarthost. */
export type Route =
  | { kind: "lmtp"; socketPath: string }
  | { kind: "mx"; domain: string }
  | { kind: "relay"; relay: Relay };

/** One message for some of its recipients, all on the same route. */
export type Delivery = {
  route: Route;
  /** Bare address for MAIL FROM; "" is the null sender. */
  envelopeFrom: string;
  /** Bare addresses for RCPT TO. */
  recipients: string[];
  /** RFC 5322 bytes with CRLF line ends, signed. Dots are stuffed by the carrier. */
  message: Buffer;
  /**
   * Builds the message in ASCII, for a server without 8BITMIME or SMTPUTF8; null if it can't be converted.
   * Omitted for a message that must not be changed.
   */
  sevenBit?: SevenBit | undefined;
};

export type SevenBit = () => Promise<Buffer | null>;

/** What became of one recipient in one attempt. */
export type Outcome = {
  recipient: string;
  result: "delivered" | "delayed" | "bounced";
  /** Enhanced status code (RFC 3463), made from the reply code where the server gave none. */
  dsn: string;
  /** The server's own words on one line, or what went wrong on the way to it. */
  message: string;
  /** The server whose words they are, by the name that it was looked up by. */
  host?: string;
  /** A permanent failure that is about the recipient: the address goes on the suppression list. */
  suppress: boolean;
  /** The server rejects this machine by address or reputation, so all other mail to it would fail now too. */
  isBlock?: true;
  /** Said once the recipient was known, so it may be a rule of the recipient's domain only. */
  isAfterRecipient?: true;
  /** Not attempted because the carrier is draining; there is nothing to record. */
  isUnsent?: true;
};

/** Carries messages to other servers. It never throws for what a server or the network did: that is an outcome. */
export type Carrier = {
  deliver(delivery: Delivery): Promise<Outcome[]>;
  /**
   * Sends no further message; whatever hasn't been sent resolves as unsent. Resolves when every message that
   * was sent has its reply: cutting such a connection would deliver the message twice.
   */
  drain(): Promise<void>;
  /** Ends idle connections; running deliveries finish first. */
  close(): Promise<void>;
};
