import { sql } from "drizzle-orm";

import { emailAttachments } from "#drizzle/schema/index.ts";
import { domainOf } from "#server/core/addresses/parse-address.ts";
import type { Db } from "#server/db/client.ts";

import { emailRow, eventRows } from "./email-rows.ts";
import type { AcceptedEmail } from "./judge-submission.ts";
import { textSafeJson } from "./text-safe-json.ts";

/**
 * Writes accepted emails with their bodies, files, histories and outbox rows, inside the caller's
 * transaction. The text of the statements does not depend on the number of rows, so that each is
 * prepared once; one connection runs them in this order, and nobody waits for an answer before the next.
 */
export async function insertEmails(db: Db, accepted: AcceptedEmail[]): Promise<void> {
  if (accepted.length === 0) return;
  const waiting = accepted.flatMap(outboxRows);
  const files = accepted.flatMap(attachmentRows);
  const rows = accepted.map(emailRow);
  await Promise.all([
    insertRows(db, rows),
    insertBodies(db, accepted),
    insertEvents(db, accepted.flatMap(eventRows)),
    ...(waiting.length > 0 ? [insertOutbox(db, waiting)] : []),
    ...(files.length > 0 ? [db.insert(emailAttachments).values(files)] : []),
  ]);
}

function insertRows(db: Db, rows: ReturnType<typeof emailRow>[]) {
  return db.execute(sql`
    insert into emails (id, company_id, domain_id, api_key_id, message_id, "from", subject, "to", cc,
      bcc, reply_to, tags, last_event, event_types, sent_at, scheduled_at, due_at, open_tracking,
      click_tracking, size)
    select id, company_id, domain_id, api_key_id, message_id, "from", subject, "to", cc, bcc, reply_to,
      tags, last_event, event_types, case when is_sent then clock_timestamp() end, scheduled_at,
      scheduled_at, open_tracking, click_tracking, size
    from json_to_recordset(${textSafeJson(rows)}::json) as t(id uuid, company_id uuid,
      domain_id uuid, api_key_id uuid, message_id text, "from" text, subject text, "to" text[],
      cc text[], bcc text[], reply_to text[], tags jsonb, last_event email_event_type,
      event_types int, is_sent boolean, scheduled_at timestamptz, open_tracking boolean,
      click_tracking boolean, size int)`);
}

/** An email that was not handed over and never will be has nothing to keep for it. */
function insertBodies(db: Db, accepted: AcceptedEmail[]) {
  const bodies = accepted
    .filter(({ state }) => state !== "failed")
    .map(({ id, input }) => ({
      email_id: id,
      address_headers: {
        from: input.fromAddress,
        to: input.to,
        cc: input.cc,
        replyTo: input.replyTo,
      },
      html: input.html,
      text: input.text,
      headers: input.headers,
    }));
  return db.execute(sql`
    insert into email_bodies (email_id, address_headers, html, text, headers)
    select * from json_to_recordset(${textSafeJson(bodies)}::json)
      as t(email_id uuid, address_headers jsonb, html text, text text, headers jsonb)`);
}

function insertEvents(db: Db, events: ReturnType<typeof eventRows>) {
  return db.execute(sql`
    insert into email_events (email_id, company_id, type, recipient, reason)
    select * from json_to_recordset(${textSafeJson(events)}::json)
      as t(email_id uuid, company_id uuid, type email_event_type, recipient text, reason text)`);
}

function insertOutbox(db: Db, waiting: ReturnType<typeof outboxRows>) {
  return db.execute(sql`
    insert into outbox (email_id, recipient, destination)
    select * from json_to_recordset(${textSafeJson(waiting)}::json)
      as t(email_id uuid, recipient text, destination text)`);
}

const outboxRows = ({ id, remaining }: AcceptedEmail) =>
  remaining.map((recipient) => ({ email_id: id, recipient, destination: domainOf(recipient) }));

const attachmentRows = ({ id, state, input }: AcceptedEmail) =>
  state === "failed"
    ? []
    : input.attachments.map((file, position) => ({ emailId: id, position, ...file }));
