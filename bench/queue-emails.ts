import { sql } from "drizzle-orm";

import { wakePump } from "#server/core/sending/outbox/queue-rows.ts";
import type { Db } from "#server/db/client.ts";

type Sender = { id: string; name: string; companyId: string };

const CHUNK = 100_000;
const BODY_BYTES = 4096;

/**
 * Fills the outbox with due emails, like `acceptEmails` but in the database: a million take a minute or two.
 *
 * @param to the domains of the recipients, in rotation
 * @param attachmentBytes of each email's attachment; 0 for none
 */
export async function queueEmails(
  db: Db,
  sender: Sender,
  {
    count,
    to,
    attachmentBytes = 0,
    priority,
  }: { count: number; to: string[]; attachmentBytes?: number; priority: number },
): Promise<void> {
  for (let first = 0; first < count; first += CHUNK)
    await db.transaction(async (tx) => {
      // Foreign keys needn't be checked: every row here is derived from the row it refers to.
      await tx.execute(sql`set local session_replication_role = replica`);
      await tx.execute(sql`
        with made as materialized (
          select uuidv7() as id, i, 'r' || i || '@' || domain as recipient, domain
          from generate_series(${first}::int, ${Math.min(first + CHUNK, count) - 1}::int) as i,
            lateral (select (${`{${to.join(",")}}`}::text[])[1 + i % ${to.length}] as domain) as place
        ), email as (
          insert into emails (id, company_id, domain_id, message_id, "from", subject, "to",
            last_event, sent_at, event_types, size)
          select id, ${sender.companyId}::uuid, ${sender.id}::uuid, '<' || id || '@bench.test>',
            ${`post@${sender.name}`}, 'Your order ' || i, array[recipient], 'sent', clock_timestamp(), 4, ${BODY_BYTES + attachmentBytes}
          from made
        ), body as (
          insert into email_bodies (email_id, address_headers, html, text)
          select id, jsonb_build_object('from', jsonb_build_object('name', '', 'address', ${`post@${sender.name}`}::text),
              'to', jsonb_build_array(jsonb_build_object('name', '', 'address', recipient)),
              'cc', '[]'::jsonb, 'replyTo', '[]'::jsonb),
            repeat('<p>Order ' || i || ': thank you, your parcel is on its way to you.</p>' || chr(10), ${Math.ceil(BODY_BYTES / 65)}),
            'Order ' || i || ': thank you.'
          from made
        ), attachment as (
          insert into email_attachments (email_id, position, filename, content_type, content)
          select id, 0, 'report.pdf', 'application/pdf', decode(repeat('0123456789abcdef', ${attachmentBytes / 8}), 'hex')
          from made where ${attachmentBytes} > 0
        )
        insert into outbox (email_id, company_id, priority, recipient, destination)
        select id, ${sender.companyId}::uuid, ${priority}, recipient, domain from made`);
    });
  wakePump(db);
}
