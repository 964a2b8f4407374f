import { and, count, eq, inArray, or, sql } from "drizzle-orm";

import { type Email, emailEvents, emails } from "#drizzle/schema/index.ts";
import { eventBit } from "#server/core/sending/events/email-events.ts";
import { type CompanyScope, createContext, inTransaction } from "#server/core/shared/context.ts";
import type { Message } from "#server/core/shared/mime/message.ts";
import { publishEvent, wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import type { Db } from "#server/db/client.ts";
import { createLogger } from "#server/processes/logger.ts";

import { readReply, type ReplyFacts } from "./read-reply.ts";

/** A message that a company received. */
export type PossibleReply = {
  message: Message;
  /** Return path; "" for none. */
  sender: string;
  /** The addresses that it was sent to. */
  receivedFor: string[];
  /** If an inbound address received it. */
  receivedEmailId?: string;
};

/** Bounds what a sender who repeats a reply can store. */
const REPLIES_PER_EMAIL_MAX = 100;

/**
 * Records a reply to an email of the company in the email's history, and publishes `email.replied` unless a program
 * wrote the reply. Once per message, whatever number of addresses receive it. Call `wakeWebhooks` after the commit.
 *
 * @returns the id of the email, or null if it is no reply to one
 */
export async function recordReply(
  scope: CompanyScope,
  possible: PossibleReply,
): Promise<string | null> {
  const facts = readReply(possible.message, possible.sender, possible.receivedFor);
  const emailId = facts && (await findEmail(scope, facts));
  if (!facts || !emailId) return null;
  await inTransaction(scope, async (scope) => {
    // Everything that writes an email's history locks its row first.
    const [email] = await scope.db
      .select()
      .from(emails)
      .where(eq(emails.id, emailId))
      .for("no key update");
    if (!email || (await isRecorded(scope, emailId, facts))) return;
    const type = facts.isAutomatic ? "auto_replied" : "replied";
    await scope.db.insert(emailEvents).values({
      emailId,
      companyId: email.companyId,
      type,
      recipient: facts.author,
      replyMessageId: facts.messageId,
    });
    await scope.db
      .update(emails)
      .set({ eventTypes: sql`${emails.eventTypes} | ${eventBit(type)}` })
      .where(eq(emails.id, emailId));
    if (!facts.isAutomatic) await publishReplied(scope, email, { facts, possible });
  });
  return emailId;
}

/** Emails that were sent, of this company only: others' ids could be guessed or quoted. */
async function findEmail(
  { db, companyId }: CompanyScope,
  { candidates }: ReplyFacts,
): Promise<string | null> {
  const found = await db
    .select({ id: emails.id, messageId: emails.messageId })
    .from(emails)
    .where(
      and(
        eq(emails.companyId, companyId),
        inArray(
          emails.id,
          candidates.map(({ emailId }) => emailId),
        ),
      ),
    );
  const sent = new Map(found.map(({ id, messageId }) => [id, messageId]));
  const match = candidates.find(({ emailId, messageId }) => {
    const own = sent.get(emailId);
    return own && (messageId === null || own.toLowerCase() === messageId.toLowerCase());
  });
  return match?.emailId ?? null;
}

async function isRecorded({ db }: CompanyScope, emailId: string, facts: ReplyFacts) {
  const isReply = or(eq(emailEvents.type, "replied"), eq(emailEvents.type, "auto_replied"));
  const isSame = sql`${emailEvents.replyMessageId} = ${facts.messageId}`;
  const [row] = await db
    .select({ all: count(), same: sql<number>`(count(*) filter (where ${isSame}))::int` })
    .from(emailEvents)
    .where(and(eq(emailEvents.emailId, emailId), isReply));
  return row!.same > 0 || row!.all >= REPLIES_PER_EMAIL_MAX;
}

async function publishReplied(
  { db, companyId }: CompanyScope,
  { id, from, to, subject, tags, messageId, createdAt, isTest }: Email,
  { facts, possible }: { facts: ReplyFacts; possible: PossibleReply },
): Promise<void> {
  const ctx = createContext(db, companyId, { kind: "system", task: "record_reply" });
  await publishEvent({ ...ctx, isTest }, "email.replied", {
    created_at: new Date(createdAt).toISOString(),
    email_id: id,
    message_id: messageId,
    from,
    to,
    subject,
    tags: Object.fromEntries(tags.map(({ name, value }) => [name, value])),
    reply: {
      from: facts.headerFrom,
      to: possible.receivedFor,
      subject: facts.subject,
      message_id: facts.messageId,
      received_email_id: possible.receivedEmailId ?? null,
    },
  });
}

const logger = createLogger("mail");

/**
 * Records a message that mailboxes and groups have as a reply to their companies' emails, if it is one. Never throws:
 * the message is delivered, and the sender must not repeat it.
 */
export async function recordDeliveredReplies(
  db: Db,
  message: Pick<PossibleReply, "message" | "sender">,
  recipients: { address: string; written?: string; companyId: string }[],
): Promise<void> {
  const byCompany = Map.groupBy(recipients, ({ companyId }) => companyId);
  for (const [companyId, all] of byCompany)
    try {
      const ctx = createContext(db, companyId, { kind: "system", task: "record_reply" });
      const receivedFor = all.map(({ address, written = address }) => written);
      if ((await recordReply(ctx, { ...message, receivedFor })) !== null) wakeWebhooks(db);
    } catch (error) {
      logger.error({ err: error, companyId }, "could not record a reply");
    }
}
