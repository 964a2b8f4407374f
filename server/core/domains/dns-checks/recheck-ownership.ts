import { and, eq, isNotNull, sql } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, inTransaction } from "#server/core/shared/context.ts";
import { OWNERSHIP_GRACE_DAYS } from "#server/core/domains/ownership/ownership-grace.ts";
import { requireDomain } from "#server/core/domains/domains/require-domain.ts";
import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import { SANDBOX_DOMAIN } from "#server/core/domains/domains/sandbox-domain.ts";
import type { ZoneDns } from "#server/gateways/zone-dns.ts";

import { checkOwnershipRecord } from "./find-ownership.ts";

const CHECK_HOURS = 24;
/** Don't notify admins about short DNS glitches. */
const NOTICE_AFTER_HOURS = 1;
const NOTICE_AGAIN_DAYS = 7;

/**
 * Rechecks the ownership record of a domain, once a day and at every check while it is missing. Notifies admins after
 * an hour, then weekly until the grace period ends. Mail keeps working: the company loses the domain only if another
 * company verifies ownership after the grace period.
 */
export async function recheckOwnership(ctx: Context, id: string, dns: ZoneDns): Promise<void> {
  const domain = await requireDomain(ctx, id);
  if (domain.name === SANDBOX_DOMAIN || !(await isDue(ctx, id))) return;
  const judgement = await checkOwnershipRecord(ctx, domain, { dns, mode: "recheck" });
  if (judgement === "present") await clearMissing(ctx, id);
  if (judgement === "absent") await recordMissing(ctx, id);
}

async function isDue(ctx: Context, id: string): Promise<boolean> {
  const [row] = await ctx.db.execute<{ isDue: boolean }>(sql`
    select d.ownership_missing_since is not null or not exists (
      select from domain_findings f where f.domain_id = d.id and f.record = 'ownership'
        and f.checked_at > statement_timestamp() - make_interval(hours => ${CHECK_HOURS})) as "isDue"
    from domains d where d.id = ${id} and d.ownership_proven_at is not null`);
  return row?.isDue ?? false;
}

const clearMissing = (ctx: Context, id: string) =>
  ctx.db
    .update(domains)
    .set({ ownershipMissingSince: null, ownershipNoticedAt: null })
    .where(and(eq(domains.id, id), isNotNull(domains.ownershipMissingSince)));

/** The notice and its timestamp are committed together. */
async function recordMissing(ctx: Context, id: string): Promise<void> {
  await inTransaction(ctx, async (ctx) => {
    await ctx.db.execute(sql`
      update domains set ownership_missing_since = clock_timestamp()
      where id = ${id} and ownership_proven_at is not null and ownership_missing_since is null`);
    const [told] = await ctx.db.execute<{ name: string }>(sql`
      update domains set ownership_noticed_at = clock_timestamp()
      where id = ${id} and ownership_proven_at is not null
        and ownership_missing_since < clock_timestamp() - make_interval(hours => ${NOTICE_AFTER_HOURS})
        and coalesce(ownership_noticed_at < least(clock_timestamp() - make_interval(days => ${NOTICE_AGAIN_DAYS}),
          ownership_missing_since + make_interval(days => ${OWNERSHIP_GRACE_DAYS})), true)
      returning name`);
    if (!told) return;
    await recordAudit(ctx, "domain.ownership_missing", { domainId: id, name: told.name });
    await notifyAdmins(ctx, { kind: "ownership_missing", domainId: id });
  });
}
