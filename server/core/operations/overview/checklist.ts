import { sql } from "drizzle-orm";

import type { Context } from "#server/core/shared/context.ts";
import { eventBits } from "#server/core/sending/events/event-type-bits.ts";
import { isLive } from "#server/core/domains/domains/is-live.ts";

/** A company's progress toward its first email. */
export type Checklist = {
  /** A verified domain if there is one, else the oldest; null if there is none. */
  domain: { id: string; name: string } | null;
  isVerified: boolean;
  hasKey: boolean;
  hasSent: boolean;
  isDelivered: boolean;
  /** Hidden by this admin. */
  isHidden: boolean;
};

// Bounds the query. A company that sent this many emails is past its first steps.
const EMAILS_SCANNED_MAX = 500;
const DELIVERED = eventBits(["delivered", "opened", "clicked"]);

/** @param email the admin's sign-in address, since each admin hides the checklist for themselves */
export async function readChecklist(ctx: Context, email: string): Promise<Checklist> {
  const [row] = await ctx.db.execute<Checklist>(sql`
    select (
        select json_build_object('id', domains.id, 'name', domains.name) from domains
        where domains.company_id = ${ctx.companyId} and ${isLive}
        order by domains.status = 'verified' desc, domains.created_at limit 1) as domain,
      exists(select from domains d where d.company_id = ${ctx.companyId} and d.status = 'verified')
        as "isVerified",
      exists(select from api_keys k where k.company_id = ${ctx.companyId} and k.revoked_at is null)
        as "hasKey",
      sent.count > 0 as "hasSent", sent.delivered > 0 as "isDelivered",
      coalesce((select p.choices -> 'checklists_put_away' ? ${ctx.companyId} from preferences p
        where p.email = ${email}), false) as "isHidden"
    from (
      select count(*) as count, count(*) filter (where event_types & ${DELIVERED} <> 0) as delivered
      from (
        select event_types from emails where company_id = ${ctx.companyId}
        order by created_at, id limit ${EMAILS_SCANNED_MAX}) first) sent`);
  return row!;
}

/** Hides or shows the company's checklist for an admin. Idempotent. */
export async function hideChecklist(
  ctx: Context,
  email: string,
  { isHidden }: { isHidden: boolean },
): Promise<void> {
  const own = JSON.stringify([ctx.companyId]);
  const now = sql`coalesce(preferences.choices -> 'checklists_put_away', '[]') - ${ctx.companyId}::text`;
  const changed = isHidden ? sql`(${now}) || ${own}::jsonb` : now;
  const first = JSON.stringify({ checklists_put_away: isHidden ? [ctx.companyId] : [] });
  await ctx.db.execute(sql`
    insert into preferences (email, choices) values (${email}, ${first}::jsonb)
    on conflict (email) do update
    set choices = jsonb_set(preferences.choices, '{checklists_put_away}', ${changed})`);
}
