import { sql } from "drizzle-orm";

import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aDomain, anAdmin, aWebhook } from "#server/testing/factories.ts";

import { seedEmails } from "./seed-emails.ts";
import { fillMailboxes } from "./seed-mailboxes.ts";
import { disableLimits } from "./disable-limits.ts";

/** The company whose pages are measured, with its owner's cookie. */
export type ConsoleCompany = { cookie: string; emailId: string; mailbox: string };

const GROUPS = 300;
const MEMBERS = 10;
const SUPPRESSIONS_PER_EMAIL = 0.1;
const REQUESTS_PER_EMAIL = 0.2;
const AUDIT_ENTRIES_PER_EMAIL = 0.02;
const WEBHOOKS = 10;
const EVENTS_PER_WEBHOOK = 1_000;

/**
 * Fills a database with one company that has objects of nearly every kind; three in five emails are its own.
 *
 * @param emails of all companies; the numbers of suppressions, requests and audit entries depend on it
 */
export async function seedConsole({
  emails,
  mailboxes,
}: {
  emails: number;
  mailboxes: number;
}): Promise<ConsoleCompany> {
  // Three in five belong to the company, so that it has the requested number.
  const { largest } = await seedEmails(db(), Math.ceil((emails * 5) / 3));
  const { companyId } = largest;
  await fillMailboxes(companyId, mailboxes);
  await seedGroups(companyId);
  await seedRecords(companyId, emails);
  for (let i = 0; i < 13; i++) await aDomain(companyId);
  for (let i = 0; i < WEBHOOKS; i++) await seedWebhook(companyId);
  const owner = await anAdmin(companyId, { isOwner: true, name: "Ann Lee" });
  await disableLimits(db());
  await db().execute(sql`vacuum (analyze)`);
  // Otherwise the first pages are measured while the seeded data is still being written to disk.
  await db().execute(sql`checkpoint`);
  const [found] = await db().execute<{ emailId: string; mailbox: string }>(sql`
    select
      (select id from emails where company_id = ${companyId} order by created_at desc limit 1) as "emailId",
      (select min(address) from mailboxes where company_id = ${companyId}) as mailbox`);
  const cookie = (await startSession(db(), owner.id)).split(";")[0]!;
  return { cookie, ...found! };
}

async function seedGroups(companyId: string): Promise<void> {
  const { id, name } = await aDomain(companyId);
  await db().transaction(async (tx) => {
    await tx.execute(sql`
      insert into addresses (address, company_id, domain_id, kind)
      select 'group' || i || '@' || ${name}::text, ${companyId}::uuid, ${id}::uuid, 'group'
      from generate_series(1, ${GROUPS}::int) i`);
    await tx.execute(sql`
      insert into groups (address, company_id, name)
      select address, company_id, 'Group' from addresses where domain_id = ${id} and kind = 'group'`);
    await tx.execute(sql`
      insert into group_members (group_address, member)
      select address, 'member' || i || '@example.org'
      from addresses, generate_series(1, ${MEMBERS}::int) i
      where domain_id = ${id} and kind = 'group'`);
  });
}

async function seedRecords(companyId: string, emails: number): Promise<void> {
  const count = (share: number) => Math.ceil(emails * share);
  await db().execute(sql`
    insert into suppressions (id, company_id, email, origin)
    select uuidv7(), ${companyId}::uuid, 'lost' || i || '@example.org',
      case i % 3 when 0 then 'complaint' when 1 then 'manual' else 'bounce' end
    from generate_series(1, ${count(SUPPRESSIONS_PER_EMAIL)}::int) i`);
  await db().execute(sql`
    insert into request_log (id, company_id, method, endpoint, response_status, user_agent)
    select uuidv7(), ${companyId}::uuid, 'POST', '/emails', 200, 'bench/1'
    from generate_series(1, ${count(REQUESTS_PER_EMAIL)}::int)`);
  await db().execute(sql`
    insert into audit_entries (id, company_id, actor, actor_kind, action, details)
    select uuidv7(), ${companyId}::uuid, 'ann@example.com', 'admin', 'mailbox.updated', '{"address":"a@b.example"}'
    from generate_series(1, ${count(AUDIT_ENTRIES_PER_EMAIL)}::int)`);
}

async function seedWebhook(companyId: string): Promise<void> {
  const { id } = await aWebhook(companyId);
  await db().execute(sql`
    insert into webhook_events (webhook_id, company_id, type, payload, status, attempts, scheduled)
    select ${id}::uuid, ${companyId}::uuid, 'email.sent', '{"type":"email.sent","created_at":"2026-03-04T10:15:00.000Z","data":{}}',
      case when i % 20 = 0 then 'failed' else 'success' end::webhook_event_status, 1, 1
    from generate_series(1, ${EVENTS_PER_WEBHOOK}::int) i`);
}
