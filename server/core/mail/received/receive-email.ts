import { and, eq, or, sql } from "drizzle-orm";

import { receivedContents, receivedEmails } from "#drizzle/schema/index.ts";
import { deriveRepeatIds, type RepeatIds } from "#server/core/shared/derive-id.ts";
import type { Message } from "#server/core/shared/mime/message.ts";
import type { Db } from "#server/db/client.ts";
import { enqueue } from "#server/jobs/enqueue.ts";

import { readChecks } from "./internal/read-checks.ts";
import { findReceivingError, type ReceivingError } from "./receiving-limits.ts";

/** A message for inbound addresses of one company. */
export type Arrival = {
  /** Key of the message: identical for repeated deliveries. */
  key: string;
  /** How long an identical key means a repeated delivery, in milliseconds; null for always. */
  repeatsForMs: number | null;
  companyId: string;
  /** The addresses that it was sent to. */
  receivedFor: string[];
  /** Return path; "" for none. */
  sender: string;
  /** With CRLF line ends and our trace fields. */
  message: Message;
  /** Whether it was checked on arrival from outside. */
  isChecked: boolean;
};

/**
 * Stores a message for the API, once even if it is delivered repeatedly. It is committed when this resolves; the job
 * `parse_received` then parses it and publishes `email.received`.
 *
 * @returns the error for the sender while a limit is reached, or null
 */
export async function receiveEmail(db: Db, arrival: Arrival): Promise<ReceivingError | null> {
  const { companyId, sender, message } = arrival;
  const receivedFor = [...new Set(arrival.receivedFor)].toSorted();
  const ids = deriveRepeatIds(arrival, `${companyId} ${receivedFor.join(" ")}`);
  if (await isStored(db, ids)) return null;
  const { id } = ids;
  const error = await findReceivingError({ db, companyId });
  if (error) return error;
  const { headerFrom, subject, messageId } = message.header;
  await db.transaction(async (tx) => {
    const [made] = await tx
      .insert(receivedEmails)
      .values({
        ...{ id, companyId, sender, receivedFor, headerFrom, subject, messageId },
        ...readChecks(message, arrival),
        size: message.raw.length,
      })
      .onConflictDoNothing({ target: receivedEmails.id })
      .returning({ id: receivedEmails.id });
    if (!made) return;
    await tx.insert(receivedContents).values({ emailId: id, content: message.raw });
    await enqueue(tx, "parse_received", { id });
  });
  return null;
}

async function isStored(db: Db, { id, previous, repeatsForMs }: RepeatIds): Promise<boolean> {
  const isRecent = sql`${receivedEmails.createdAt} >
    statement_timestamp() - ${repeatsForMs} * interval '1 millisecond'`;
  const isSame = eq(receivedEmails.id, id);
  const isRepeated = previous ? or(isSame, and(eq(receivedEmails.id, previous), isRecent)) : isSame;
  return (await db.$count(receivedEmails, isRepeated)) > 0;
}
