import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";
import { hasPrivilegeIn, type HeldPrivileges } from "#server/core/access/privileges/privileges.ts";

/** A mailbox whose sending is on hold, with a sample of its messages. */
export type HeldMailbox = {
  address: string;
  name: string;
  orgUnitId: number;
  since: string;
  messages: number;
  recipients: number;
  /** Addresses that the messages on hold were sent from. */
  clientAddresses: string[];
  /** The newest messages on hold. */
  sample: { subject: string; recipients: string[]; more: number; sentAt: string }[];
};

const MAILBOXES_MAX = 200;
const SAMPLE_MESSAGES = 5;
const SAMPLE_RECIPIENTS = 3;
const ADDRESSES_MAX = 5;

/** The company's mailboxes whose sending is on hold and that the admin can release or contain, newest first. */
export async function listHeld(
  { db, companyId }: Context,
  callerPrivileges: HeldPrivileges,
): Promise<HeldMailbox[]> {
  const rows = await db.execute<HeldMailbox>(sql`
    select b.address, b.name, b.org_unit_id as "orgUnitId", b.sending_held_at as since,
      held.messages, held.recipients, held."clientAddresses", held.sample
    from mailboxes b cross join lateral (
      with held as materialized (
        select m.id, m.subject, m.created_at, m.client_address,
          count(*)::int as recipients,
          (array_agg(r.recipient order by r.id))[:${SAMPLE_RECIPIENTS}] as first
        from messages m join message_recipients r on r.message_id = m.id and r.state = 'held'
        where m.mailbox = b.address and m.company_id = b.company_id
        group by m.id
      )
      select count(*)::int as messages, coalesce(sum(recipients), 0)::int as recipients,
        coalesce((array_agg(distinct client_address)
          filter (where client_address is not null))[:${ADDRESSES_MAX}], '{}') as "clientAddresses",
        coalesce((select json_agg(newest) from (
          select subject, first as recipients, recipients - cardinality(first) as more,
            created_at as "sentAt"
          from held order by created_at desc, id desc limit ${SAMPLE_MESSAGES}) newest), '[]') as sample
      from held
    ) held
    where b.company_id = ${companyId} and b.sending_held_at is not null
    order by b.sending_held_at desc, b.address limit ${MAILBOXES_MAX}`);
  return rows.filter(({ orgUnitId }) =>
    hasPrivilegeIn(callerPrivileges, "reset_user_passwords", orgUnitId),
  );
}
