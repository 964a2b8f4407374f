import { and, eq, inArray, isNotNull, sql, type SQL } from "drizzle-orm";
import { v7 } from "uuid";

import {
  domainFindings,
  domains,
  messageContents,
  type MessageOrigin,
  messageRecipients,
  messages,
} from "#drizzle/schema/index.ts";
import type { RecipientResult } from "#server/core/sending/bounce-messages/recipient-result.ts";
import { addressDomain } from "#server/core/shared/addresses/parse-address.ts";
import { storableText } from "#server/core/shared/text.ts";
import { createWake } from "#server/core/shared/wake.ts";
import { FIRST_ID, FIRST_TIME, inOrderedBatches, type OrderedBatch } from "#server/db/batches.ts";
import type { Db } from "#server/db/client.ts";

/** A message to deliver unchanged. */
export type NewMessageRecipient = {
  /** Without display name. */
  address: string;
  /** For RCPT TO; defaults to `address`. */
  written?: string | undefined;
  /** NOTIFY of RFC 3461: `never`, or some of `success`, `failure`, `delay`. Null: failure. */
  notify?: string[] | null;
  /** ORCPT of RFC 3461. */
  originalRecipient?: string | null;
  /** On hold: not delivered until an admin releases it. */
  isHeld?: boolean;
};

/** A message to be carried as it is. */
export type NewMessage = {
  /** UUIDv7. Accepting the same id twice creates one message. */
  id?: string;
  companyId: string;
  origin: MessageOrigin;
  /** The mailbox that sends, forwards or replies. */
  mailbox: string | null;
  /** For a submission, the group that it is sent as; otherwise the group that it concerns. */
  groupAddress: string | null;
  /** For copies to a group: the same for all copies of one post. */
  distributionId?: string | null;
  /** Return path; "" for none. */
  sender: string;
  /** Whether failures are reported to the sender. Never set it if the sender may be forged. */
  isSenderTold: boolean;
  /** The domain whose DKIM key signs it when it is sent; null: not signed. */
  signingDomainId: string | null;
  /** RFC 5322 bytes with CRLF line ends, complete except for the signature. */
  content: Buffer;
  recipients: NewMessageRecipient[];
  headerFrom: string;
  subject: string;
  messageId: string | null;
  /** The client's IP address. */
  clientAddress: string | null;
  envelopeId?: string | null;
  /** RET of RFC 3461: bounces return the whole message, not only its header. */
  returnFull?: boolean;
};

const SHOWN_LENGTH_MAX = 998;

/** A statement can have 65,534 parameters; nested groups may have more members. */
const ROWS_PER_INSERT = 1_000;

/**
 * Accepts a message: its recipients are queued when the caller's transaction commits (or its own, outside of
 * one). Call `wakeMessages` after that.
 *
 * @returns its id, and whether it is new
 */
export async function acceptMessage(
  db: Db,
  message: NewMessage,
): Promise<{ id: string; isNew: boolean }> {
  const { id = v7(), content, recipients } = message;
  return db.transaction(async (tx) => {
    const [made] = await tx
      .insert(messages)
      .values({
        id,
        companyId: message.companyId,
        origin: message.origin,
        mailbox: message.mailbox,
        groupAddress: message.groupAddress,
        distributionId: message.distributionId ?? null,
        sender: message.sender,
        isSenderTold: message.isSenderTold,
        signingDomainId: message.signingDomainId,
        headerFrom: shown(message.headerFrom),
        subject: shown(message.subject),
        messageId: message.messageId && shown(message.messageId),
        size: content.length,
        recipientCount: recipients.length,
        clientAddress: message.clientAddress,
        envelopeId: message.envelopeId ?? null,
        returnFull: message.returnFull ?? true,
      })
      .onConflictDoNothing({ target: messages.id })
      .returning({ id: messages.id });
    if (!made) return { id, isNew: false };
    await tx.insert(messageContents).values({ messageId: id, content });
    for (let at = 0; at < recipients.length; at += ROWS_PER_INSERT)
      await tx
        .insert(messageRecipients)
        .values(recipients.slice(at, at + ROWS_PER_INSERT).map((one) => rowOf(message, id, one)));
    return { id, isNew: true };
  });
}

function rowOf({ companyId }: NewMessage, messageId: string, recipient: NewMessageRecipient) {
  const { address, written = address, notify, originalRecipient, isHeld } = recipient;
  return {
    messageId,
    companyId,
    recipient: written,
    destination: addressDomain(address),
    state: isHeld ? ("held" as const) : ("queued" as const),
    notify: notify ?? null,
    originalRecipient: originalRecipient ?? null,
  };
}

const shown = (text: string) => storableText(text, SHOWN_LENGTH_MAX);

/** Loads the bytes of a message; null if deleted. */
export async function loadContent(db: Db, messageId: string): Promise<Buffer | null> {
  const [row] = await db
    .select({ content: messageContents.content })
    .from(messageContents)
    .where(eq(messageContents.messageId, messageId));
  return row?.content ?? null;
}

/** Loads the first `octets` of a message: enough for the header, without the attachments. */
export async function loadContentStart(
  db: Db,
  messageId: string,
  octets: number,
): Promise<Buffer | null> {
  const [row] = await db
    .select({ content: sql<Buffer>`substring(${messageContents.content} for ${octets}::int)` })
    .from(messageContents)
    .where(eq(messageContents.messageId, messageId));
  return row?.content ?? null;
}

/**
 * Finds which of the domains receive their mail on this appliance, with their companies: ownership is
 * verified, and the last MX check pointed here. While a company migrates, its MX still points elsewhere, and
 * mail to mailboxes that don't exist here yet must go there.
 */
export async function findHostedDomains(db: Db, names: string[]): Promise<Map<string, string>> {
  if (names.length === 0) return new Map();
  const rows = await db
    .select({ name: domains.name, companyId: domains.companyId })
    .from(domains)
    .innerJoin(
      domainFindings,
      and(eq(domainFindings.domainId, domains.id), eq(domainFindings.record, "mx")),
    )
    .where(
      and(
        inArray(domains.name, [...new Set(names)]),
        isNotNull(domains.ownershipProvenAt),
        eq(domainFindings.isVerified, true),
      ),
    );
  return new Map(rows.map(({ name, companyId }) => [name, companyId]));
}

/** Postgres channel that notifies the pump of due messages. */
export const MESSAGES_CHANNEL = "messages";

/** Wakes the pump. It also wakes when the next message is due, and every half minute. */
export const wakeMessages = createWake(MESSAGES_CHANNEL);

const CONTENT_DAYS = 3;

/**
 * For forwards and group copies: other servers retry for up to five days, and bounces return the whole
 * message.
 */
const FORWARDED_DAYS = 7;

/** A message can have 35 MiB. */
const CONTENTS_BATCH = 100;

const BATCH = 500;

/**
 * Deletes the bytes of messages three days after the last outcome (seven for forwards and group copies), and
 * messages `days` after acceptance. Keeps both while a recipient is queued or on hold. Works in small
 * transactions that skip locked rows.
 *
 * @returns the numbers deleted
 */
export async function deleteOldMessages(
  db: Db,
  days: number,
): Promise<{ contents: number; messages: number }> {
  const contents = await inOrderedBatches(CONTENTS_BATCH, FIRST_ID, (from) =>
    deleteContents(db, from),
  );
  const messages = await inOrderedBatches(BATCH, FIRST_TIME, (from) =>
    deleteMessages(db, days, from),
  );
  return { contents, messages };
}

async function deleteContents(db: Db, from: string): Promise<OrderedBatch> {
  const [batch] = await db.execute<OrderedBatch>(sql`
    with old as materialized (
      select c.message_id from message_contents c join messages m on m.id = c.message_id
      where c.message_id >= ${from}::uuid
        and m.created_at < ${CONTENT_END} and ${IS_DONE}
      order by c.message_id limit ${CONTENTS_BATCH}
      for update of c skip locked
    ), gone as (
      delete from message_contents where message_id = any(array(select message_id from old))
    )
    select count(*)::int as count, max(message_id::text collate "C") as last from old`);
  return batch!;
}

async function deleteMessages(db: Db, days: number, from: string): Promise<OrderedBatch> {
  const [batch] = await db.execute<OrderedBatch>(sql`
    with old as materialized (
      select m.id, m.created_at from messages m
      where m.created_at >= ${from}::text::timestamptz
        and m.created_at < ${daysAgo(days)} and ${IS_DONE}
      order by m.created_at limit ${BATCH}
      for update of m skip locked
    ), gone as (
      delete from messages where id = any(array(select id from old))
    )
    select count(*)::int as count, max(created_at)::text as last from old`);
  return batch!;
}

const daysAgo = (days: number): SQL => sql`statement_timestamp() - make_interval(days => ${days})`;

const CONTENT_END = sql`case when m.origin in ('forward', 'group') then ${daysAgo(FORWARDED_DAYS)}
  else ${daysAgo(CONTENT_DAYS)} end`;

/** The last outcome is old enough. */
const IS_DONE = sql`not exists (
  select from message_recipients r
  where r.message_id = m.id
    and (r.state in ('queued', 'held') or r.settled_at > ${CONTENT_END}))`;

/** Consecutive permanent failures after which an address counts as failing. */
export const FAILURES_MAX = 5;

/**
 * Whether the latest deliveries up to this one all failed permanently. Ignores messages sent later, since
 * late bounces for those may still arrive.
 *
 * @param among SQL condition on the messages `m` to count
 */
export async function hasFailedRepeatedly(
  db: Db,
  { recipient, message }: RecipientResult,
  among: SQL,
): Promise<boolean> {
  const [found] = await db.execute<{ failures: number }>(sql`
    select count(*) filter (where state = 'bounced')::int as failures from (
      select r.state from messages m join message_recipients r on r.message_id = m.id
      where ${among} and m.origin = ${message.origin} and m.created_at <= ${message.createdAt}
        and lower(r.recipient) = lower(${recipient}) and r.state in ('delivered', 'bounced')
      order by m.created_at desc limit ${FAILURES_MAX}) latest`);
  return found!.failures === FAILURES_MAX;
}
