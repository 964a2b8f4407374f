import { eq, sql } from "drizzle-orm";

import { messageRecipients } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { followUp } from "#server/core/mail/outcomes/follow-up.ts";
import { originalMessage } from "#server/core/sending/bounce-messages/original-message.ts";
import type { RecipientResult } from "#server/core/sending/bounce-messages/recipient-result.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import { plainText } from "#server/core/shared/mime/plain-text.ts";
import type { Db } from "#server/db/client.ts";

import { findBounced } from "./find-bounced.ts";
import type { Bounce, Failure } from "#server/core/mail/report-parsing/read-bounce.ts";

const MESSAGE_LENGTH_MAX = 2000;

type Row = Omit<RecipientResult, "result" | "delivery" | "host" | "dsn" | "reply"> & {
  state: "queued" | "held" | "delivered" | "bounced" | "dropped";
};

/**
 * Records a bounce of a forward or a group's copy that another server had accepted, and returns a forward to its
 * mailbox. Idempotent per recipient; ignores recipients that aren't recorded as delivered.
 *
 * @returns `too_early` if the delivery attempt isn't recorded yet; the sender should retry
 */
export async function recordMessageBounce(
  db: Db,
  messageId: string,
  bounce: Bounce,
): Promise<"bounce" | "nothing" | "too_early"> {
  const taken = await db.transaction(async (tx) => {
    const failures = await failuresByRecipient(tx, messageId, bounce);
    const rows = await lockRows(tx, messageId, [...failures.keys()]);
    if (rows.some(({ state }) => state === "queued")) return "too_early";
    const bounced = rows
      .filter(({ state }) => state === "delivered")
      .map((row) => toBounced(row, failures.get(row.recipient)!));
    if (bounced.length === 0) return "nothing";
    await updateRecipients(tx, bounced);
    return followUp(tx, config().hostname, bounced);
  });
  if (typeof taken === "string") return taken;
  if (taken > 0) wakeMessages(db);
  return "bounce";
}

async function failuresByRecipient(
  db: Db,
  messageId: string,
  { failures, trace }: Bounce,
): Promise<Map<string, Failure>> {
  const rows = await db
    .select({ recipient: messageRecipients.recipient })
    .from(messageRecipients)
    .where(eq(messageRecipients.messageId, messageId));
  const recipients = rows.map(({ recipient }) => recipient);
  const found = new Map<string, Failure>();
  for (const failure of failures) {
    const bounced = findBounced(recipients, failure, trace);
    if (bounced && !found.has(bounced.recipient)) found.set(bounced.recipient, failure);
  }
  return found;
}

function lockRows(db: Db, messageId: string, recipients: string[]): Promise<Row[]> {
  return db.execute<Row>(sql`
    select r.id::text as "rowId", r.recipient, r.original_recipient as "originalRecipient", r.notify,
      r.created_at as "createdAt", r.state, 0 as "waitedSeconds", false as "isDelayReported",
      ${originalMessage} as message
    from message_recipients r join messages m on m.id = r.message_id
    where r.message_id = ${messageId}::uuid and r.recipient = any(array(
      select value from jsonb_array_elements_text(${JSON.stringify(recipients)}::jsonb)))
    order by r.id for no key update of r`);
}

function toBounced(row: Row, { dsn, message }: Failure): RecipientResult {
  const reply = plainText(message, MESSAGE_LENGTH_MAX);
  return { ...row, dsn, reply, result: "bounced", delivery: "relayed", host: null };
}

async function updateRecipients(db: Db, bounced: RecipientResult[]): Promise<void> {
  const given = bounced.map(({ rowId, dsn, reply }) => ({ id: rowId, dsn, reply }));
  await db.execute(sql`
    update message_recipients r set state = 'bounced', dsn = given.dsn, reply = given.reply,
      settled_at = clock_timestamp()
    from jsonb_to_recordset(${JSON.stringify(given)}::jsonb) as given(id bigint, dsn text, reply text)
    where r.id = given.id`);
}
