import { and, eq, isNotNull, sql } from "drizzle-orm";

import { domains } from "#drizzle/schema/index.ts";
import { SANDBOX_DOMAIN } from "#server/core/domains/domains/parse-domain-name.ts";
import { requireDomain } from "#server/core/domains/domains/require-domain.ts";
import { OWNERSHIP_GRACE_DAYS } from "#server/core/domains/ownership/claims.ts";
import { notifyAdmins } from "#server/core/platform/notices/notify-admins.ts";
import { recordAudit } from "#server/core/shared/audit/record-audit.ts";
import { type Context, createContext, inTransaction } from "#server/core/shared/context.ts";
import { Refusal } from "#server/core/shared/refusals.ts";
import type { Db } from "#server/db/client.ts";
import type { ZoneDns } from "#server/gateways/zone-dns.ts";

import { checkOwnershipRecord, checkRecords } from "./check-records.ts";

/** Rechecks a domain's records automatically. Ignores domains deleted meanwhile. */
export async function recheckDomain(
  db: Db,
  { id, companyId }: DueDomain,
  dns: ZoneDns,
): Promise<void> {
  const ctx = createContext(db, companyId, { kind: "system", task: "recheck_domains" });
  try {
    await checkRecords(ctx, id, { dns, mode: "recheck" });
    await recheckOwnership(ctx, id, dns);
  } catch (error) {
    if (!(error instanceof Refusal && error.reason === "not_found")) throw error;
  }
}

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

/** A domain whose records are due for a recheck. */
export type DueDomain = { id: string; companyId: string };

/**
 * Leases domains with verified ownership whose last check is more than an hour ago, longest ago first.
 * Excludes the appliance's own domain, which must send even before its records exist. Adds up to ten minutes
 * per domain, derived from its id, to spread the checks. Leasing updates `checked_at`, so no other worker
 * takes the domain within the next hour, even after a crash.
 */
export async function leaseDueDomains(db: Db, count: number): Promise<DueDomain[]> {
  const rows = await db.execute<{ id: string; company_id: string }>(sql`
    update domains set checked_at = clock_timestamp()
    where id in (
      select id from domains
      where ownership_proven_at is not null
        -- What the index answers, then what only the row does.
        and (checked_at is null or checked_at < statement_timestamp() - interval '1 hour')
        and (checked_at is null or checked_at < statement_timestamp() - interval '1 hour'
          - make_interval(secs => abs(hashtext(id::text)::bigint) % 600))
        and not exists (select from companies
          where companies.id = domains.company_id and companies.purpose = 'platform')
      order by checked_at nulls first
      limit ${count}
      for update skip locked)
    returning id, company_id`);
  return rows.map(({ id, company_id }) => ({ id, companyId: company_id }));
}
