import type { Logger } from "pino";

import type { IncomingRecipient } from "#server/core/mail/incoming/recipients.ts";
import type { OwnedDomains } from "#server/core/mail/authentication/owned-domains.ts";
import type { ReceivingEstimate } from "#server/core/mail/received/receiving-limits.ts";
import type { DmarcRow } from "#server/core/mail/sent-reports/dmarc-reports.ts";
import type { Db } from "#server/db/client.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import type { MailboxStore, StoreAddress } from "#mail/lmtp/mailbox-store.ts";

/** What the MX listener needs to accept mail. */
export type MxContext = {
  db: Db;
  log: Logger;
  /** The server's hostname. */
  hostname: string;
  resolver: Resolver;
  /** Caches answers for some seconds, for lookups that each message repeats. */
  cachedResolver: Pick<Resolver, "resolve">;
  domains: OwnedDomains;
  /** The limits of inbound addresses. */
  receiving: ReceivingEstimate;
  store: MailboxStore;
  /** Called before each delivery: the socket may move when Dovecot restarts. Null is a mail host without a name. */
  lmtpPlace: (storeHost: string | null) => StoreAddress;
  /** Counts a message for the DMARC report to its sender's domain. */
  countDmarc: (row: DmarcRow) => void;
  /** Why mail cannot be accepted now, such as a full disk; null if it can. */
  acceptanceBlocker: () => Promise<string | null>;
};

/** A recipient that RCPT TO accepted. `own` are addresses that the appliance itself processes. */
export type AcceptedRecipient =
  | Extract<IncomingRecipient, { kind: "own" | "mailbox" | "inbound" | "owners" }>
  /** `isRestricted`: not everyone can post. */
  | (Extract<IncomingRecipient, { kind: "group" }> & { isRestricted: boolean });
export type DeliveryRecipient = Exclude<AcceptedRecipient, { kind: "own" }>;

/** An incoming message. */
export type Incoming = {
  /** Normalized return path; "" for the null sender. */
  sender: string;
  helo: string;
  clientAddress: string;
  /** SMTP, ESMTP or ESMTPS. */
  protocol: string;
  /** Session ID for the log and the Received field. */
  id: string;
  recipients: AcceptedRecipient[];
};
