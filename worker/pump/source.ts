import type { Message } from "#server/core/shared/mime/message.ts";
import type { Logger } from "pino";

import type { Relay } from "#server/config.ts";
import type { Connection } from "#server/db/client.ts";
import type { Carrier } from "#worker/delivery/delivery.ts";
import type { MessageOrigin } from "#drizzle/schema/index.ts";
import type { SigningDomain } from "#server/core/sending/dkim/dkim-keys.ts";
import type { Post } from "#server/core/mail/group-posts/post.ts";
import type { LeasedRecipient, LeasedTable } from "#server/core/sending/outbox/email-leases.ts";
import type { LeaseRequest } from "#server/core/sending/outbox/fair-leases.ts";
import type { Outcome } from "#mail/smtp/outcome.ts";
import type { DsnRequest } from "#mail/smtp/envelope.ts";

import type { MessageMaker, Prepared } from "./prepare.ts";

export type PumpOptions = MessageMaker & {
  connection: Connection;
  carrier: Carrier;
  /** The domain of envelope senders, where bounces are returned to, unless the sending domain has its own. */
  hostname: string;
  /** Base URL of tracked links. */
  baseUrl: string;
  relay: Relay | null;
  dataFolder: string;
  /** The appliance's own SMTP listener, here or on a mail host (server/core/mail/incoming/recipients.ts). */
  ownListener: () => { host: string; port: number };
  log: Logger;
  /** Poll interval, for due rows that no notification announced. */
  pollMs?: number;
};

/** A message to prepare and deliver, with those of its recipients that were leased. */
export type Queued = {
  id: string;
  companyId: string;
  size: number;
  /** Accepted together with others, so it isn't urgent. */
  isBatch?: boolean;
  /** A test email: its delivery is simulated. */
  isTest?: boolean;
  recipients: LeasedRecipient[];
};

/**
 * The author of a message to a group. Its return path is given if it isn't the address for MAIL FROM, and the content of a
 * copy from another group is the original one.
 */
export type PostAuthor = Pick<Post, "from" | "author" | "isFromVerified" | "clientAddress"> &
  Partial<Pick<Post, "sender" | "message">>;

/**
 * How a message was delivered: to a local mailbox, to another server, or to a group's members (RFC 3464,
 * 2.3.3).
 */
export type DeliveryKind = "delivered" | "relayed" | "expanded";

/** What differs between the queues: how rows are leased, messages prepared and outcomes recorded. */
export type MailQueue<Item extends Queued, Result extends { rowId: string }> = {
  /** The Postgres channel that announces new rows. */
  channel: string;
  queue: LeasedTable;
  lease(lease: LeaseRequest): Promise<Item[]>;
  /** Ends leased recipients that must not be sent to, and returns the rest. */
  filter(owner: string, leased: Item[]): Promise<Item[]>;
  /** The domain whose keys sign the message; null if it isn't signed. */
  signer(item: Item): string | null;
  /**
   * Builds the message, once for all its recipients. Never throws: one bad message must not stop the
   * others.
   */
  prepare(item: Item, signer: SigningDomain | Error | undefined): Promise<Prepared>;
  /** Checks a prepared message before it is sent. Never throws. */
  scan?(item: Item, prepared: Prepared): Promise<Prepared>;
  /** Bare address for MAIL FROM; "" is the null sender. */
  envelopeFrom(item: Item, signer: SigningDomain | Error | undefined): string;
  /** A recipient as written in commands to other servers, if that differs. */
  rcptTo?(item: Item, recipient: string): string;
  /** Whether the message goes out even where a policy's TLS requirements can't be met. */
  isTlsOptional?(item: Item, message: Message): boolean;
  /** The notifications that the sender asked for. */
  dsn?(item: Item): DsnRequest | undefined;
  /** Source of a message that wasn't sent through the API. */
  origin?(item: Item): MessageOrigin;
  /** The author, as groups that receive the message see it. */
  author(item: Item, message: Message): PostAuthor;
  /** Converts outcomes of some of its recipients to rows to record. */
  toResults(item: Item, outcomes: Outcome[], kind: DeliveryKind): Result[];
  /** Results for a temporary problem on our side: retried later. */
  delayed(item: Item, reason: string): Result[];
  /** Results for a message that can never be sent. */
  failed(item: Item, reason: string): Result[];
  record(owner: string, results: Result[]): Promise<unknown>;
};

/** Where a message comes from. Null for an email of the API. */
export const itemOrigin = <Item>(
  source: { origin?(item: Item): MessageOrigin },
  item: Item,
): MessageOrigin | null => source.origin?.(item) ?? null;

/** The name of the domain that signs a message; null if none does. */
export const signingName = (signer: SigningDomain | Error | undefined): string | null =>
  signer && !(signer instanceof Error) ? signer.domain : null;
