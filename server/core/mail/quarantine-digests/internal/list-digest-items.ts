import { and, asc, gt, lte, sql } from "drizzle-orm";

import { quarantine } from "#drizzle/schema/index.ts";
import { isOwn, type OwnQuarantined } from "#server/core/mail/quarantine/own-quarantine.ts";
import type { CompanyScope } from "#server/core/shared/context.ts";

/** The mailbox user's own mail that is on hold. */
type HeldItem = { subject: string; to: string[]; recipients: number; createdAt: string };

export type DigestItems = {
  /** Oldest first. */
  quarantined: OwnQuarantined[];
  held: HeldItem[];
  /** There are more than are listed. */
  hasMore: boolean;
};

const LISTED_MAX = 100;
const RECIPIENTS_LISTED_MAX = 3;

/** What was quarantined or put on hold in a period: after `since`, up to `until`. */
export async function listDigestItems(
  ctx: CompanyScope,
  { address, since, until }: { address: string; since: string; until: string },
): Promise<DigestItems> {
  const { id, reason, headerFrom, sender, subject, createdAt } = quarantine;
  const quarantined = await ctx.db
    .select({ id, reason, headerFrom, sender, subject, createdAt })
    .from(quarantine)
    .where(and(isOwn(ctx, address), gt(createdAt, since), lte(createdAt, until)))
    .orderBy(asc(createdAt), asc(id))
    .limit(LISTED_MAX + 1);
  const held = await ctx.db.execute<HeldItem>(sql`
    select m.subject, (array_agg(r.recipient order by r.id))[:${RECIPIENTS_LISTED_MAX}] as to,
      count(*)::int as recipients, m.created_at as "createdAt"
    from mailboxes b
      join messages m on m.mailbox = b.address and m.company_id = b.company_id
      join message_recipients r on r.message_id = m.id and r.state = 'held'
    where b.address = ${address} and b.company_id = ${ctx.companyId}
      and greatest(m.created_at, b.sending_held_at) > ${since}
      and greatest(m.created_at, b.sending_held_at) <= ${until}
    group by m.id order by m.created_at, m.id limit ${LISTED_MAX + 1}`);
  return {
    quarantined: quarantined.slice(0, LISTED_MAX),
    held: held.slice(0, LISTED_MAX),
    hasMore: quarantined.length > LISTED_MAX || held.length > LISTED_MAX,
  };
}
