import type { SigningKey } from "#server/core/sending/dkim/load-signing-keys.ts";
import type { Post } from "#server/core/mail/group-posts/post.ts";
import type { LeasedRecipient, ByteBudget } from "#server/core/sending/outbox/lease-due-emails.ts";
import type { Queue } from "#server/core/sending/outbox/renew-leases.ts";
import type { Outcome } from "#worker/delivery/delivery.ts";

import type { Prepared } from "./prepared.ts";

/** One message to be made and carried, with those of its recipients that were claimed. */
export type Queued = {
  id: string;
  companyId: string;
  size: number;
  recipients: LeasedRecipient[];
};

/** What a delivery was: into a mailbox here, to another server, to the members of a group (RFC 3464, 2.3.3). */
export type DeliveryKind = "delivered" | "relayed" | "expanded";

type Claim = { owner: string; limit: number; room: ByteBudget; busy: string[] };

/** A queue that a pump empties: what is in it, how its messages are made, and how results are recorded. */
export type Source<Item extends Queued, Result extends { rowId: string }> = {
  /** Postgres channel that tells of new rows. */
  channel: string;
  /** Whose leases are renewed and given back. */
  queue: Queue;
  claim(claim: Claim): Promise<Item[]>;
  /** The domain whose key signs it; null for none. */
  signer(item: Item): string | null;
  /** Makes its message, once for all its recipients. Never throws: one bad message stops nobody. */
  prepare(item: Item, key: SigningKey | Error | undefined): Promise<Prepared>;
  /** Bare address for MAIL FROM; "" is the null sender. */
  envelopeFrom(item: Item): string;
  /** A recipient as written in commands to other servers, if that differs. */
  rcptTo?(item: Item, recipient: string): string;
  /** Who it is from, for the groups that it is for. */
  author(
    item: Item,
    message: Buffer,
  ): Pick<Post, "from" | "author" | "isFromVerified" | "clientAddress">;
  /** What the outcomes of some of its recipients mean. */
  settled(item: Item, outcomes: Outcome[], kind: DeliveryKind): Result[];
  /** Trouble on our side that somebody can mend: tried again later. */
  delayed(item: Item, reason: string): Result[];
  /** It cannot be sent, now or later. */
  hopeless(item: Item, reason: string): Result[];
  record(owner: string, results: Result[]): Promise<unknown>;
};
