import { sql } from "drizzle-orm";

import { ensureRootUnit } from "#server/core/mailboxes/org-units/units.ts";
import { UNIT_PRIVILEGES } from "#server/universal/privileges.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, anAdmin, anApiKey } from "#server/testing/factories.ts";

import { disableLimits } from "./disable-limits.ts";

export type MailboxCompany = {
  token: string;
  cookie: string;
  /** In order. */
  addresses: string[];
  /** The domain of the last 50. */
  second: string;
};

/**
 * A company with this many mailboxes, each with usage, a sign-in and two aliases; one in ten is suspended.
 * Four other companies have a twentieth of that each.
 */
export async function seedMailboxes(count: number): Promise<MailboxCompany> {
  for (let i = 0; i < 4; i++) await fillMailboxes((await aCompany()).id, Math.ceil(count / 20));
  const { id: companyId } = await aCompany();
  const second = await fillMailboxes(companyId, count);
  const admin = await anAdmin(companyId, { privileges: [...UNIT_PRIVILEGES] });
  const { token } = await anApiKey(companyId, { creatorId: admin.id });
  const cookie = (await startSession(db(), admin.id)).split(";")[0]!;
  await disableLimits(db());
  await db().execute(sql`analyze`);
  const rows = await db().execute<{ address: string }>(sql`
    select address from mailboxes where company_id = ${companyId} order by address`);
  return { token, cookie, second, addresses: rows.map(({ address }) => address) };
}

/**
 * Creates two domains of a company with this many mailboxes, the last 50 in the second.
 *
 * @returns the name of its second domain
 */
export async function fillMailboxes(companyId: string, count: number): Promise<string> {
  const unit = await ensureRootUnit({ db: db(), companyId });
  const [first, second] = [await aDomain(companyId), await aDomain(companyId)];
  await db().transaction(async (tx) => {
    await tx.execute(sql`
      create temp table made on commit drop as
      select 'user' || i || '@' || d.name as address, d.id as domain_id, d.name as domain, i
      from generate_series(1, ${count}::int) i
        join domains d on d.id = case when i <= ${count - 50}::int
          then ${first.id}::uuid else ${second.id}::uuid end`);
    await tx.execute(sql`
      insert into addresses (address, company_id, domain_id, kind)
      select address, ${companyId}::uuid, domain_id, 'mailbox'::address_kind from made
      union all select 'also' || n || address, ${companyId}::uuid, domain_id, 'alias'::address_kind
      from made, generate_series(1, 2) n`);
    await tx.execute(sql`
      insert into mailboxes
        (address, company_id, domain_id, org_unit_id, name, password_hash, quota_mb, store, suspended_at)
      select address, ${companyId}::uuid, domain_id, ${unit}::int,
        case when i = ${count}::int then 'Zoe Last' else 'Person ' || i end, '', 5120,
        domain || '/' || i, case when i % 10 = 0 then now() end
      from made`);
    await tx.execute(sql`
      insert into aliases (address, mailbox)
      select 'also' || n || address, address from made, generate_series(1, 2) n`);
    await tx.execute(sql`insert into mailbox_usage select address, 1000 * i, i from made`);
    await tx.execute(sql`insert into mailbox_sign_ins select address, 1772442727 from made`);
  });
  return second.name;
}
