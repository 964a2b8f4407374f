import { sql } from "drizzle-orm";

import { admins, companies, domains, people } from "#drizzle/schema/index.ts";
import { createApiKey } from "#server/core/access/api-keys/api-keys.ts";
import { createContext } from "#server/core/shared/context.ts";
import type { Db } from "#server/db/client.ts";
import { freeBytesAt } from "#server/processes/machine.ts";

import { emailSlots } from "./email-slots.ts";

/** Approximate disk space of an email with its history and all indexes. */
const BYTES_PER_EMAIL = 1_800;
const CHUNK = 250_000;
const SMALL_COMPANIES = 200;

export type Tenant = { companyId: string; token: string; domainIds: string[] };

/**
 * Of five emails, one belongs to `large`, three to `largest`, and the small companies share one. With five
 * million in all, `large` has a million.
 */
export type Tenants = { large: Tenant; largest: Tenant; small: Tenant[] };

/** Fails if the disk of `folder` would have less space left than the emails need. */
export async function requireDiskSpace(folder: string, emails: number): Promise<void> {
  const free = await freeBytesAt(folder);
  const gigabytes = (bytes: number) => `${(bytes / 1e9).toFixed(1)} GB`;
  const needed = 2 * emails * BYTES_PER_EMAIL;
  if (free < needed)
    throw new Error(
      `${emails} emails want ${gigabytes(needed)} free; ${folder} has ${gigabytes(free)}`,
    );
}

/**
 * Fills a database with companies, domains, keys, emails of the last 366 days with
 * their histories, bodies of the last three days, and a log of requests.
 *
 * @param told how many emails are in so far
 */
export async function seedEmails(
  db: Db,
  count: number,
  told: (done: number) => void = () => {},
): Promise<Tenants> {
  const tenants = await makeTenants(db);
  for (let first = 1; first <= count; first += CHUNK) {
    const last = Math.min(first + CHUNK - 1, count);
    await seedChunk(db, tenants, { first, last, count });
    told(last);
  }
  await seedRequestLog(db, tenants, Math.ceil(count / 5));
  for (const table of ["emails", "email_events", "email_bodies", "request_log", "domains"])
    await db.execute(sql.raw(`vacuum (analyze) ${table}`));
  return tenants;
}

async function makeTenants(db: Db): Promise<Tenants> {
  const tenant = async (name: string, domainCount: number): Promise<Tenant> => {
    const [company] = await db.insert(companies).values({ name }).returning();
    const { id: companyId } = company!;
    return {
      companyId,
      token: await makeKey(db, companyId),
      domainIds: await makeDomains(db, companyId, domainCount),
    };
  };
  const small = [];
  for (let i = 0; i < SMALL_COMPANIES; i++) small.push(await tenant(`Small ${i}`, 1 + (i % 3)));
  return { large: await tenant("Large", 20), largest: await tenant("Largest", 5), small };
}

async function makeKey(db: Db, companyId: string): Promise<string> {
  const email = `${companyId}@example.com`;
  await db.insert(people).values({ email });
  const [owner] = await db.insert(admins).values({ companyId, email, isOwner: true }).returning();
  const actor = { kind: "system", task: "seed" } as const;
  const { token } = await createApiKey(createContext(db, companyId, actor), {
    creatorId: owner!.id,
    name: "Seed",
    permission: "full_access",
    domainId: null,
  });
  return token;
}

async function makeDomains(db: Db, companyId: string, count: number): Promise<string[]> {
  const named = Array.from({ length: count }, (_, i) => ({
    companyId,
    name: `d${i}.${companyId}.example`,
    status: "verified" as const,
    ownershipToken: "seed",
    ownershipProvenAt: sql`clock_timestamp()`,
  }));
  const made = await db.insert(domains).values(named).returning({ id: domains.id });
  return made.map(({ id }) => id);
}

/** Inserts emails in chronological order, with all companies mixed, as in real use. */
async function seedChunk(
  db: Db,
  tenants: Tenants,
  { first, last, count }: { first: number; last: number; count: number },
): Promise<void> {
  await db.transaction(async (tx) => {
    // Foreign keys needn't be checked: every row here is derived from the row it refers to.
    await tx.execute(sql`set local session_replication_role = replica`);
    await tx.execute(sql`set local synchronous_commit = off`);
    await tx.execute(sql`
      with tenant as materialized (${tenantRows(tenants)}),
      slot as materialized (${emailSlots()}),
      made as (
        select uuidv7(moment - clock_timestamp()) as id, i, moment, company_id,
          domain_ids[1 + i / 5 % cardinality(domain_ids)] as domain_id
        from (
          select i, now() - interval '366 days' * (1 - (i - random()) / ${count}::float8) as moment,
            case i % 5 when 0 then 0 when 1 then 2 + i / 5 % ${SMALL_COMPANIES} else 1 end as tenant
          from generate_series(${first}::int, ${last}::int) as i
        ) as timed join tenant on tenant.place = timed.tenant
      ),
      email as (
        insert into emails (id, company_id, domain_id, message_id, "from", subject, "to",
          last_event, created_at, sent_at, scheduled_at, event_types, size)
        select id, company_id, domain_id, '<' || id || '@example.com>',
          'Post House <post@example.com>', 'Your order ' || i,
          array['customer' || i || '@example.org'], last_event, moment,
          case when is_sent then moment + interval '20 milliseconds' end,
          case when is_scheduled then moment end, event_types, 4096
        from made join slot on slot.place = hashint4(made.i) & 127
        returning id, company_id, created_at, event_types, subject
      ),
      body as (
        insert into email_bodies (email_id, address_headers, html, text, created_at)
        select id, '{"from":{"name":"Post House","address":"post@example.com"},"to":[],"cc":[],"replyTo":[]}',
          repeat('<p>' || subject || ': thank you.</p>', 40), repeat(subject || ': thank you. ', 20),
          created_at
        from email where created_at > now() - interval '3 days'
      )
      insert into email_events (email_id, company_id, type, recipient, dsn, message, created_at)
      select id, company_id, type, case when is_outcome then 'ann@example.org' end,
        case when is_outcome then '2.0.0' end, case when is_outcome then '250 2.0.0 ok' end,
        created_at + ordinality * interval '1 second'
      from email, unnest(enum_range(null::email_event_type)) with ordinality as kind (type, ordinality),
        lateral (select type in ('delivered', 'bounced', 'delivery_delayed') as is_outcome) as outcome
      where event_types & (1 << ordinality::int - 1) <> 0`);
  });
}

/** Position 0 is `large`, 1 is `largest`, then the small ones. */
function tenantRows({ large, largest, small }: Tenants) {
  const rows = [large, largest, ...small].map(({ companyId, domainIds }, place) => ({
    place,
    company_id: companyId,
    domain_ids: `{${domainIds.join(",")}}`,
  }));
  return sql`
    select place, company_id, ids as domain_ids
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as t (place int, company_id uuid, domain_ids text), lateral (select domain_ids::uuid[]) as d (ids)`;
}

async function seedRequestLog(db: Db, tenants: Tenants, count: number): Promise<void> {
  await db.execute(sql`
    with tenant as materialized (${tenantRows(tenants)})
    insert into request_log (id, company_id, method, endpoint, response_status, user_agent, created_at)
    select uuidv7(moment - clock_timestamp()), company_id, 'POST', '/emails', 200, 'bench/1', moment
    from (
      select now() - interval '30 days' * (1 - i / ${count + 1}::float8) as moment,
        case i % 5 when 0 then 0 when 1 then 2 + i / 5 % ${SMALL_COMPANIES} else 1 end as tenant
      from generate_series(1, ${count}::int) as i
    ) as timed join tenant on tenant.place = timed.tenant`);
}
