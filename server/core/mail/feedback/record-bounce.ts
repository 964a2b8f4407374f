import { and, eq, inArray, sql } from "drizzle-orm";

import { outbox } from "#drizzle/schema/index.ts";
import { eventBit } from "#server/core/sending/events/event-type-bits.ts";
import { isRecipientFailure } from "#server/core/sending/outbox/recipient-failure.ts";
import { plainText } from "#server/core/shared/mime/plain-text.ts";
import { publishEmailEvents } from "#server/core/sending/events/publish-email-events.ts";
import { wakeWebhooks } from "#server/core/webhooks/events/publish-event.ts";
import type { Db } from "#server/db/client.ts";

import { findBounced } from "./internal/find-bounced.ts";
import { lockEmail } from "./internal/lock-email.ts";
import type { Bounce } from "#server/core/mail/report-parsing/read-bounce.ts";
import { recordMessageBounce } from "./internal/record-message-bounce.ts";
import { storedRecipients } from "./internal/stored-recipients.ts";

const MESSAGE_LENGTH_MAX = 2000;

type LateBounce = { recipient: string; dsn: string; message: string; suppress: boolean };

/**
 * Records a bounce of an email that another server had accepted: adds a bounced event, publishes it to webhooks and
 * suppresses the address. It doesn't suppress the address if the bounce names a different one, if the failure is
 * not clearly about the recipient, or if the other server gave up after temporary failures (4.x.x); nor if the email has
 * several recipients, because each of them knows the envelope sender and can forge a bounce of another. Idempotent per
 * recipient; ignores recipients that aren't recorded as delivered. For ids of messages, see
 * record-message-bounce.ts.
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
      ...{ recipient, dsn, message: words },
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
