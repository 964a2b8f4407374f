import type { Logger } from "pino";

import type { IncomingRecipient } from "#server/core/mail/incoming/classify-recipient.ts";
import type { OwnedDomains } from "#server/core/mail/authentication/owned-domains.ts";
import type { Db } from "#server/db/client.ts";
import type { Resolver } from "#server/gateways/dns.ts";
import type { Carrier } from "#worker/delivery/delivery.ts";

/** What taking mail from other servers needs. */
export type MxContext = {
  db: Db;
  log: Logger;
  /** Our own name. */
  hostname: string;
  resolver: Resolver;
  /** The same, that remembers answers for some seconds: for what each message asks. */
  cachedResolver: Pick<Resolver, "resolve">;
  domains: OwnedDomains;
  /** To Dovecot. */
  carrier: Carrier;
  /** Asked before each delivery: Dovecot's socket may be elsewhere after a restart. */
  lmtpSocketPath: () => string;
  /** Why mail for people cannot be kept at this moment, such as a disk that is nearly full; or null. */
  acceptanceBlocker: () => Promise<string | null>;
};

/** Whom mail is taken for. */
export type AcceptedRecipient = Extract<
  IncomingRecipient,
  { is: "own" | "mailbox" | "group" | "owners" }
>;
export type DeliveryRecipient = Exclude<AcceptedRecipient, { is: "own" }>;

/** One message on its way in. */
export type Incoming = {
  /** Reverse path in normal form; "" for none. */
  sender: string;
  helo: string;
  clientAddress: string;
  /** SMTP, ESMTP or ESMTPS. */
  protocol: string;
  /** Of the session, for the log and our Received field. */
  id: string;
  recipients: AcceptedRecipient[];
};
