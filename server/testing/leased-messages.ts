import { randomUUID } from "node:crypto";

import { eq, type SQL, sql } from "drizzle-orm";
import { simpleParser } from "mailparser";

import { messageRecipients, messages } from "#drizzle/schema/index.ts";
import { leaseDueMessages } from "#server/core/sending/messages/lease-due-messages.ts";
import { loadContent } from "#server/core/sending/messages/messages.ts";
import {
  type MessageOutcome,
  recordMessageOutcomes,
} from "#server/core/mail/outcomes/record-message-outcomes.ts";
import { db } from "#server/db/pool.ts";

import { anAcceptedMessage } from "./accepted-messages.ts";
import { aCompany } from "./factories.ts";

const ROOM = { light: 1e9, heavy: 1e9 };

/** The hostname in the bounce messages that `record` creates. */
export const REPORTING_HOST = "mail.here.test";
export const ANN = "ann@example.com";

export type LeasedMessage = Omit<Parameters<typeof anAcceptedMessage>[0], "companyId">;

/** A message of Ann's, leased, with functions to record its recipients' outcomes in order. */
export async function aLeasedMessage(given: LeasedMessage) {
  const { id: companyId } = await aCompany();
  const id = await anAcceptedMessage({ companyId, sender: ANN, ...given });
  return { companyId, id, ...(await leaseMessage(id)) };
}

export async function leaseMessage(id: string) {
  const owner = randomUUID();
  const leased = await leaseDueMessages(db(), { owner, limit: 100, room: ROOM });
  const rows = leased.find((message) => message.id === id)!.recipients;
  const say = (...results: Partial<MessageOutcome>[]): MessageOutcome[] =>
    results.map((result, at) => ({
      ...rows[at]!,
      messageId: id,
      result: "delivered",
      delivery: "relayed",
      dsn: "2.0.0",
      message: "250 OK",
      suppress: false,
      ...result,
    }));
  const record = (...results: Partial<MessageOutcome>[]) =>
    recordMessageOutcomes(db(), { owner, hostname: REPORTING_HOST }, say(...results));
  return { owner, say, record };
}

export const REFUSED: Partial<MessageOutcome> = {
  result: "bounced",
  dsn: "5.1.1",
  message: "550 5.1.1 User unknown",
};
export const BUSY: Partial<MessageOutcome> = {
  result: "delayed",
  dsn: "4.2.1",
  message: "450 4.2.1 Try later",
};

/** A message's recipients in the order they were given. */
export const recipientsOf = (id: string) =>
  db()
    .select()
    .from(messageRecipients)
    .where(eq(messageRecipients.messageId, id))
    .orderBy(messageRecipients.id);

/** Backdates a message. */
export const backdate = (id: string, age: SQL) =>
  db().execute(sql`update message_recipients
    set created_at = clock_timestamp() - ${age} where message_id = ${id}`);

/** All bounce messages, parsed like a mail app would. */
export async function reports() {
  const rows = await db()
    .select({ message: messages, recipient: messageRecipients.recipient })
    .from(messages)
    .innerJoin(messageRecipients, eq(messageRecipients.messageId, messages.id))
    .where(eq(messages.origin, "report"));
  return Promise.all(
    rows.map(async ({ message, recipient }) => {
      const raw = (await loadContent(db(), message.id))!;
      const options = { skipHtmlToText: true, keepDeliveryStatus: true };
      const mail = await simpleParser(raw, options);
      const parts = new Map(
        mail.attachments.map(({ contentType, content }) => [contentType, content.toString()]),
      );
      const status = parts.get("message/delivery-status")!;
      return { recipient, message, raw, mail, text: mail.text!, parts, status };
    }),
  );
}

/** The only bounce message. */
export async function theReport() {
  const [report, ...others] = await reports();
  if (!report || others.length > 0)
    throw new Error(`There are ${others.length + (report ? 1 : 0)} reports`);
  return report;
}
