import { sql } from "drizzle-orm";
import type { Logger } from "pino";

import { acceptMessage } from "#server/core/sending/messages/accept-message.ts";
import { wakeMessages } from "#server/core/sending/messages/wake-messages.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import type { Db } from "#server/db/client.ts";

import { listDigestItems } from "./internal/list-digest-items.ts";
import { writeDigest } from "./internal/write-digest.ts";

/** A mailbox with messages that no digest has listed yet. */
export type DueDigest = {
  address: string;
  name: string;
  companyId: string;
  companyName: string;
  domainId: string;
  /** The mailbox user may release spam. */
  canRelease: boolean;
  since: string;
  until: string;
};

const BATCH = 100;
/** Messages that are older have been left out of digests for a week, because their policy was off or digests failed. */
const OLDEST_DAYS = 7;
/** A message is committed a moment after its timestamp. */
const SETTLE_MINUTES = 5;

/**
 * Emails mailbox users about their messages that were quarantined or put on hold in the day up to the last digest hour. A
 * mailbox gets one digest per day at most, however many workers run: the digest and the end of its period are committed
 * together.
 *
 * @throws Error if some of them couldn't be sent; run it again
 */
export async function sendDigests(db: Db, log: Pick<Logger, "error">): Promise<void> {
  const { quarantine_digest_hour: hour } = await readSettings(db);
  let failures = 0;
  let after = "";
  for (;;) {
    const due = await listDue(db, { hour, after });
    for (const mailbox of due)
      await sendDigest(db, mailbox).catch((err: unknown) => {
        failures += 1;
        log.error({ err, companyId: mailbox.companyId }, "could not send a quarantine digest");
      });
    if (due.length < BATCH) break;
    after = due.at(-1)!.address;
  }
  wakeMessages(db);
  if (failures > 0) throw new Error(`${failures} quarantine digests could not be sent`);
}

/**
 * Mailboxes whose policy is a daily digest, with messages since their last one. Policies are looked up only for mailboxes
 * with messages, in companies that turned digests on somewhere.
 */
const listDue = (db: Db, { hour, after }: { hour: number; after: string }) =>
  db.execute<DueDigest>(sql`
    with clock as (select statement_timestamp() - make_interval(mins => ${SETTLE_MINUTES}) as settled),
    period as (
      select last_hour - case when last_hour > settled then interval '1 day' else interval '0' end as until
      from clock cross join lateral (
        select date_trunc('day', settled, 'UTC') + make_interval(hours => ${hour}) as last_hour) h
    ), asked as (
      select distinct company_id from org_units where quarantine_digest = 'daily'
    ), newest as (
      select recipient as address, max(q.created_at) as at
      from quarantine q join asked using (company_id) cross join unnest(q.recipients) recipient, period
      where q.created_at > until - make_interval(days => ${OLDEST_DAYS}) and q.created_at <= until
        and q.reason in ('spam', 'virus') and q.released_as is null
      group by 1
      union all
      select b.address, max(greatest(m.created_at, b.sending_held_at))
      from mailboxes b join asked using (company_id)
        join messages m on m.mailbox = b.address and m.company_id = b.company_id
        join message_recipients r on r.message_id = m.id and r.state = 'held', period
      where b.sending_held_at is not null and greatest(m.created_at, b.sending_held_at) <= until
      group by 1
    )
    select m.address, m.name, m.company_id as "companyId", c.name as "companyName",
      m.domain_id as "domainId", p.quarantine_release = 'spam' as "canRelease",
      since::text as since, until::text as until
    from (select address, max(at) as at from newest group by 1) n
      join mailboxes m on m.address = n.address
      join companies c on c.id = m.company_id and c.suspended_at is null
      join mailbox_policies p on p.address = m.address and p.quarantine_digest = 'daily'
      left join quarantine_digests d on d.mailbox = m.address
      cross join period
      cross join lateral (
        select greatest(coalesce(d.listed_until, until - interval '1 day'),
          until - make_interval(days => ${OLDEST_DAYS}), m.created_at) as since) s
    where m.address > ${after} and m.suspended_at is null and n.at > since
    order by m.address limit ${BATCH}`);

async function sendDigest(db: Db, mailbox: DueDigest): Promise<void> {
  const { address, companyId, since, until } = mailbox;
  await db.transaction(async (tx) => {
    // Another worker that sends this digest has the row until it commits, and then this changes nothing.
    const [claimed] = await tx.execute(sql`
      insert into quarantine_digests as last (mailbox, company_id, listed_until)
      values (${address}, ${companyId}, ${until})
      on conflict (mailbox) do update
        set company_id = excluded.company_id, listed_until = excluded.listed_until
        where last.listed_until < excluded.listed_until
      returning mailbox`);
    if (!claimed) return;
    const items = await listDigestItems({ db: tx, companyId }, { address, since, until });
    if (items.quarantined.length + items.held.length === 0) return;
    await acceptMessage(tx, {
      ...{ companyId, origin: "report", mailbox: null, groupAddress: null, clientAddress: null },
      ...{ sender: "", isSenderTold: false, signingDomainId: mailbox.domainId },
      ...(await writeDigest(mailbox, items, new Date())),
      recipients: [{ address, notify: ["never"] }],
    });
  });
}
