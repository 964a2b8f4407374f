import { sql } from "drizzle-orm";

import type { MessageRow } from "#drizzle/schema/index.ts";
import { LEASE_SECONDS, type LeasedRecipient } from "#server/core/sending/outbox/email-leases.ts";
import {
  fairLease,
  isSuspect,
  type LeaseRequest,
  moveTurn,
} from "#server/core/sending/outbox/fair-leases.ts";
import type { Db } from "#server/db/client.ts";
import { PLANNED_EACH_TIME } from "#server/db/preparing.ts";

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

/** Leases due recipients of messages to `owner`, as `leaseDueEmails` does, but without priorities. */
export async function leaseDueMessages(db: Db, request: LeaseRequest): Promise<LeasedMessage[]> {
  const { owner, limit, turn } = request;
  const { skipped, isWanted, fitting, lastTurn } = fairLease("message_recipients", request);
  // See email-leases.ts for why it is written this way.
  const rows = await db.execute<LeasedMessage & { lastTurn: string | null }>(sql`
    ${sql.raw(PLANNED_EACH_TIME)}
    with recursive ${skipped}, abandoned as materialized (
      select id, message_id, '-infinity'::timestamptz as next_attempt_at, was_abandoned from message_recipients
      where lease_until < statement_timestamp() and state = 'queued'
        and ${isWanted}
      order by lease_until limit ${limit}
      for update skip locked
    ), ${fitting}, leased as (
      update message_recipients set
        lease_until = statement_timestamp() + make_interval(secs => ${LEASE_SECONDS}),
        lease_owner = ${owner}::uuid, was_abandoned = was_abandoned or lease_owner is not null
      where id = any(array(select id from fitting))
      returning id, message_id, recipient, destination, attempt, notify, original_recipient, retry_asked_at
    ), by_message as (
      select message_id, min(place_in_all) as place,
        jsonb_agg(jsonb_build_object('rowId', id::text, 'recipient', recipient,
          'destination', destination, 'attempt', attempt, 'retryAskedAt', retry_asked_at,
          'isSuspect', ${isSuspect}, 'notify', notify, 'originalRecipient', original_recipient) order by id) as recipients
      from leased join fitting using (id) group by message_id
    )
    select m.id, m.company_id as "companyId", m.origin, m.sender,
      m.mailbox, m.group_address as "groupAddress",
      m.signing_domain_id as "signingDomainId", m.client_address as "clientAddress", m.size,
      m.envelope_id as "envelopeId", m.return_full as "returnFull",
      by_message.recipients, ${lastTurn}
    from by_message join messages m on m.id = by_message.message_id
    order by by_message.place, m.id`);
  moveTurn(turn, rows);
  return rows;
}
