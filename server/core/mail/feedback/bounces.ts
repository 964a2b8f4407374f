import { and, eq, inArray, sql } from "drizzle-orm";

import { type Email, emails, messageRecipients, outbox } from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { followUp } from "#server/core/mail/outcomes/record-message-outcomes.ts";
import type { Bounce, BouncedRecipient } from "#server/core/mail/report-parsing/read-bounce.ts";
import {
  originalMessage,
  type RecipientResult,
} from "#server/core/sending/bounce-messages/recipient-result.ts";
import { eventBit, publishEmailEvents } from "#server/core/sending/events/email-events.ts";
import { wakeMessages } from "#server/core/sending/messages/messages.ts";
import { isRecipientFailure } from "#server/core/sending/outbox/recipient-failure.ts";
import { addressDomain, parseRecipient } from "#server/core/shared/addresses/parse-address.ts";
import { plainText } from "#server/core/shared/text.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import type { Db } from "#server/db/client.ts";

const MESSAGE_LENGTH_MAX = 2000;

type LateBounce = { recipient: string; dsn: string; message: string; suppress: boolean };

/**
 * Records a bounce of an email that another server had accepted: adds a bounced event, publishes it to webhooks and
 * suppresses the address. It doesn't suppress the address if the bounce names a different one, if the failure is
 * not clearly about the recipient, or if the other server gave up after temporary failures (4.x.x); nor if the email has
 * several recipients, because each of them knows the envelope sender and can forge a bounce of another. Idempotent per
 * recipient; ignores recipients that aren't recorded as delivered. An id of a
 * message goes to `recordMessageBounce`.
 *
 * @param emailId id of the email or message, from its signed envelope sender
 * @returns `too_early` if the delivery attempt isn't recorded yet; the sender should retry
 */
export async function recordBounce(
  db: Db,
  emailId: string,
  bounce: Bounce,
): Promise<"bounce" | "nothing" | "too_early"> {
  const taken = await db.transaction(async (tx) => {
    const email = await lockEmail(tx, emailId);
    if (!email) return "no_email";
    const bounces = matchRecipients(storedRecipients(email), bounce);
    if (bounces.length === 0) return "nothing";
    const names = bounces.map(({ recipient }) => recipient);
    const isWaiting = and(eq(outbox.emailId, emailId), inArray(outbox.recipient, names));
    if ((await tx.$count(outbox, isWaiting)) > 0) return "too_early";
    return tx.execute<{ isPublished: boolean }>(insertBounces(emailId, bounces));
  });
  if (taken === "no_email") return recordMessageBounce(db, emailId, bounce);
  if (typeof taken === "string") return taken;
  if (taken[0]?.isPublished) wakeWebhooks(db);
  return taken.length > 0 ? "bounce" : "nothing";
}

function matchRecipients(recipients: string[], { failures, trace }: Bounce): LateBounce[] {
  const bounces = new Map<string, LateBounce>();
  for (const failure of failures) {
    const { dsn, message } = failure;
    const found = findBounced(recipients, failure, trace);
    if (!found || bounces.has(found.recipient)) continue;
    const { recipient, isNamed } = found;
    const words = plainText(message, MESSAGE_LENGTH_MAX);
    bounces.set(recipient, {
      recipient,
      dsn,
      message: words,
      suppress:
        isNamed &&
        recipients.length === 1 &&
        dsn.startsWith("5.") &&
        isRecipientFailure(dsn, words),
    });
  }
  return [...bounces.values()].toSorted((a, b) => (a.recipient < b.recipient ? -1 : 1));
}

const insertBounces = (emailId: string, bounces: LateBounce[]) => sql`
  with given as (
    select * from jsonb_to_recordset(${JSON.stringify(bounces)}::jsonb)
      as t(recipient text, dsn text, message text, suppress boolean)
  ), believed as materialized (
    select given.* from given where 'delivered' = (
      select type::text from email_events v
      where v.email_id = ${emailId}::uuid and lower(v.recipient) = given.recipient
        and v.type in ('delivered', 'bounced', 'failed', 'suppressed')
      order by v.id desc limit 1)
  ), recorded as (
    insert into email_events (email_id, company_id, type, recipient, dsn, message)
    select e.id, e.company_id, 'bounced', believed.recipient, believed.dsn, believed.message
    from believed join emails e on e.id = ${emailId}::uuid
    order by believed.recipient
    returning *
  ), published as (
    ${publishEmailEvents("recorded", "emails")}
    returning id
  ), shown as (
    update emails set last_event = 'bounced', event_types = event_types | ${eventBit("bounced")}
    where id in (select email_id from recorded)
  ), suppressed as (
    insert into suppressions (id, company_id, email, origin, source_id)
    select gen_random_uuid(), e.company_id, believed.recipient, 'bounce', e.id
    from believed join emails e on e.id = ${emailId}::uuid
    where believed.suppress
    order by believed.recipient
    on conflict (company_id, email) do nothing
  )
  select exists (select from published) as "isPublished" from recorded`;

type Row = Omit<RecipientResult, "result" | "delivery" | "host" | "dsn" | "reply"> & {
  state: "queued" | "held" | "delivered" | "bounced" | "dropped";
};

/**
 * Records a bounce of a forward or a group's copy that another server had accepted, and returns a forward to its
 * mailbox. Idempotent per recipient; ignores recipients that aren't recorded as delivered.
 *
 * @returns `too_early` if the delivery attempt isn't recorded yet; the sender should retry
 */
async function recordMessageBounce(
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
): Promise<Map<string, BouncedRecipient>> {
  const rows = await db
    .select({ recipient: messageRecipients.recipient })
    .from(messageRecipients)
    .where(eq(messageRecipients.messageId, messageId));
  const recipients = rows.map(({ recipient }) => recipient);
  const found = new Map<string, BouncedRecipient>();
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

function toBounced(row: Row, { dsn, message }: BouncedRecipient): RecipientResult {
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

/**
 * Finds the recipient of a message that a bounce is about. A recipient may forward its mail, so the bounce
 * can name an address we never sent to. Then it is the only recipient, the one in the returned header's
 * trace, or the only one at the bounce's domain.
 *
 * @param recipients distinct recipients of the message
 * @param trace addresses that the message reached, according to the returned header
 * @returns null if no recipient or several match; `isNamed` if the bounce names the recipient itself
 */
export function findBounced(
  recipients: string[],
  failure: BouncedRecipient,
  trace: string[],
): { recipient: string; isNamed: boolean } | null {
  const named = failure.addresses.flatMap(readName);
  const exact = recipients.find((recipient) => named.includes(recipient.toLowerCase()));
  if (exact !== undefined) return { recipient: exact, isNamed: true };
  const recipient = named.length === 0 ? null : guess(recipients, { named, trace });
  return recipient === null ? null : { recipient, isNamed: false };
}

function guess(
  recipients: string[],
  { named, trace }: { named: string[]; trace: string[] },
): string | null {
  if (recipients.length === 1) return recipients[0]!;
  const passed = trace.flatMap(readName);
  const domains = named.map(addressDomain);
  return (
    onlyOne(recipients.filter((recipient) => passed.includes(recipient.toLowerCase()))) ??
    onlyOne(recipients.filter((recipient) => domains.includes(addressDomain(recipient))))
  );
}

const readName = (text: string) => parseRecipient(text)?.address ?? [];

const onlyOne = (found: string[]): string | null => (found.length === 1 ? found[0]! : null);

/**
 * Locks an email's row until the caller's transaction ends. Everything that writes an email's history takes this
 * lock, so the caller sees what was recorded before. Test emails never leave the server, so no report can be about them.
 */
export async function lockEmail(db: Db, id: string): Promise<Email | undefined> {
  const [email] = await db
    .select()
    .from(emails)
    .where(and(eq(emails.id, id), eq(emails.isTest, false)))
    .for("no key update");
  return email;
}

/** The distinct recipients of an email. */
export const storedRecipients = ({ to, cc, bcc }: Email): string[] => [
  ...new Set([...to, ...cc, ...bcc]),
];
