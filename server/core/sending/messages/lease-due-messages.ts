import { HEAVY_BYTES } from "#server/core/sending/outbox/queue-rows.ts";
import { sql } from "drizzle-orm";

import type { MessageRow } from "#drizzle/schema/index.ts";
import {
  type ByteBudget,
  LEASE_SECONDS,
  type LeasedRecipient,
} from "#server/core/sending/outbox/email-leases.ts";
import type { Db } from "#server/db/client.ts";

/** A message with its leased recipients. Its bytes are read when it is sent. */
export type LeasedMessage = Pick<
  MessageRow,
  | "id"
  | "companyId"
  | "origin"
  | "sender"
  | "mailbox"
  | "groupAddress"
  | "signingDomainId"
  | "clientAddress"
  | "size"
  | "envelopeId"
  | "returnFull"
> & {
  recipients: (LeasedRecipient & { notify: string[] | null; originalRecipient: string | null })[];
};

type LeaseRequest = { owner: string; limit: number; room: ByteBudget; busy?: string[] };

/**
 * Leases due recipients of messages to `owner`, like `leaseDueEmails`: expired leases first, then longest due
 * first, within the budgets for light and heavy messages. Skips rows that another worker is leasing.
 *
 * @param limit maximum number of recipients
 * @param busy destinations to skip
 */
export async function leaseDueMessages(
  db: Db,
  { owner, limit, room, busy = [] }: LeaseRequest,
): Promise<LeasedMessage[]> {
  // See email-leases.ts for why it is written this way.
  return db.execute<LeasedMessage>(sql`
    with busy as materialized (
      select value as destination from jsonb_array_elements_text(${JSON.stringify(busy)}::jsonb)
    ), abandoned as materialized (
      select id, message_id, '-infinity'::timestamptz as next_attempt_at from message_recipients
      where lease_until < statement_timestamp() and state = 'queued'
        and destination not in (select destination from busy)
      order by lease_until limit ${limit}
      for update skip locked
    ), due as materialized (
      select id, message_id, next_attempt_at from message_recipients
      where state = 'queued' and lease_until is null and next_attempt_at <= statement_timestamp()
        and destination not in (select destination from busy)
      order by next_attempt_at, id limit ${limit}
      for update skip locked
    ), picked as materialized (
      select * from abandoned union all select * from due limit ${limit}
    ), weighed as (
      select id, message_id, next_attempt_at,
        (select size from messages where messages.id = picked.message_id) as size,
        row_number() over (partition by message_id order by next_attempt_at, id) as nth
      from picked
    ), fitting as materialized (
      select id, size > ${HEAVY_BYTES} as heavy,
        sum(case nth when 1 then size else 0 end)
          over (partition by size > ${HEAVY_BYTES} order by next_attempt_at, id) as total
      from weighed
    ), leased as (
      update message_recipients set
        lease_until = statement_timestamp() + make_interval(secs => ${LEASE_SECONDS}),
        lease_owner = ${owner}::uuid
      where id = any(array(
        select id from fitting
        where total <= case when heavy then ${room.heavy}::bigint else ${room.light}::bigint end))
      returning id, message_id, recipient, destination, attempt, next_attempt_at, notify,
        original_recipient, retry_asked_at
    ), by_message as (
      select message_id, min(next_attempt_at) as due_at,
        jsonb_agg(jsonb_build_object('rowId', id::text, 'recipient', recipient,
          'destination', destination, 'attempt', attempt, 'retryAskedAt', retry_asked_at,
          'notify', notify, 'originalRecipient', original_recipient) order by id) as recipients
      from leased group by message_id
    )
    select m.id, m.company_id as "companyId", m.origin, m.sender,
      m.mailbox, m.group_address as "groupAddress",
      m.signing_domain_id as "signingDomainId", m.client_address as "clientAddress", m.size,
      m.envelope_id as "envelopeId", m.return_full as "returnFull",
      by_message.recipients
    from by_message join messages m on m.id = by_message.message_id
    order by by_message.due_at, m.id`);
}
