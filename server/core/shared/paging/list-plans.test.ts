import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import { beforeAll, describe, expect, test } from "vitest";

import * as schema from "#drizzle/schema/index.ts";
import { listApiKeys, listKeysWithCreators } from "#server/core/access/api-keys/key-list.ts";
import { listAudit } from "#server/core/shared/audit/list-audit.ts";
import type { Context } from "#server/core/shared/context.ts";
import { listDomains } from "#server/core/domains/domains/domains.ts";
import { listEmailEvents, listEmails } from "#server/core/sending/emails/emails.ts";
import { searchEmails } from "#server/core/sending/emails/search-emails.ts";
import { listGroups } from "#server/core/mailboxes/groups/group-list.ts";
import { listMailLog } from "#server/core/mail/mail-log/mail-log.ts";
import { listOutgoing } from "#server/core/mail/mail-log/list-outgoing.ts";
import { listQuarantine } from "#server/core/mail/quarantine/quarantine.ts";
import { listRequests, searchRequests } from "#server/core/access/request-log/request-log.ts";
import {
  listSuppressions,
  searchSuppressions,
} from "#server/core/sending/suppressions/search-suppressions.ts";
import { listWebhookEvents, toEventId } from "#server/core/webhooks/events/webhook-events.ts";
import { listTemplates } from "#server/core/sending/templates/list-templates.ts";
import { listWebhooks } from "#server/core/webhooks/endpoints/webhooks.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import { db, pool } from "#server/db/pool.ts";
import { aCompany, aContext, anAdmin } from "#server/testing/factories.ts";

import type { Page, PageRequest } from "./pages.ts";

// Lists must be read from an index in their order. If a plan sorts, every page costs as much as the
// whole list, so this checks the query plans with and without known parameters.

type Statement = { query: string; params: unknown[] };

const ROWS = 2_000;
const statements: Statement[] = [];
let ctx: Context;
let emailId: string;
let webhookId = "";

beforeAll(async () => {
  const logger = {
    logQuery: (query: string, params: unknown[]) => statements.push({ query, params }),
  };
  const companyId = (await aCompany()).id;
  const adminId = (await anAdmin(companyId)).id;
  ctx = {
    ...aContext(companyId),
    db: drizzle(pool().sql, { schema, casing: "snake_case", logger }),
  };
  const others = await Promise.all(Array.from({ length: 20 }, () => aCompany()));
  for (const { id } of [...others, { id: companyId }])
    await fill(id, adminId, id === companyId ? ROWS : 400);
  [{ id: emailId }] = (await db().execute<{ id: string }>(
    sql`select id from emails where company_id = ${companyId} limit 1`,
  )) as unknown as [{ id: string }];
  const [event] = await db().execute<{ webhookId: string }>(sql`
    select webhook_id as "webhookId" from webhook_events where company_id = ${companyId} limit 1`);
  webhookId = event!.webhookId;
  await db().execute(sql`
    analyze emails, email_events, api_keys, domains, request_log, suppressions, templates, webhooks, quarantine,
      webhook_events, addresses, groups, audit_entries, mail_log, messages, message_recipients,
      message_delays`);
  // Lets members be read with an index-only scan.
  await db().execute(sql`vacuum analyze group_members, group_units, org_units`);
});

async function fill(companyId: string, adminId: string, rows: number): Promise<void> {
  const moment = sql`now() - i * interval '1 minute'`;
  await db().execute(sql`
    with email as (
      insert into emails (id, company_id, "from", subject, "to", last_event, created_at)
      select uuidv7(), ${companyId}, 'a@example.org', 'Hello', '{b@example.org}', 'sent', ${moment}
      from generate_series(1, ${rows}::int) as i returning id
    )
    insert into email_events (email_id, company_id, type)
    select id, ${companyId}, 'delivered' from email, generate_series(1, 5)`);
  await db().execute(sql`
    insert into audit_entries (id, company_id, actor, actor_kind, action, details, created_at)
    select uuidv7(), ${companyId}, 'a', 'admin', 'domain.added', '{}', ${moment}
    from generate_series(1, ${rows}::int) as i`);
  await db().execute(sql`
    insert into suppressions (id, company_id, email, origin, created_at)
    select uuidv7(), ${companyId}, i || '@example.org', 'manual', ${moment}
    from generate_series(1, ${rows}::int) as i`);
  await db().execute(sql`
    insert into request_log (id, company_id, method, endpoint, response_status, created_at)
    select uuidv7(), ${companyId}, 'GET', '/emails', 200, ${moment}
    from generate_series(1, ${rows}::int) as i`);
  await db().execute(sql`
    insert into domains (id, company_id, name, ownership_token, ownership_proven_at, created_at)
    select uuidv7(), ${companyId}, i || '.' || ${companyId}, '', case i % 2 when 0 then now() end,
      ${moment}
    from generate_series(1, ${rows}::int) as i`);
  await db().execute(sql`
    with template as (
      insert into templates (id, company_id, name, current_version_id, created_at)
      select uuidv7(), ${companyId}, 'a', uuidv7(), ${moment}
      from generate_series(1, ${rows}::int) as i returning id, current_version_id
    )
    insert into template_versions (id, company_id, template_id, number, html, variables)
    select current_version_id, ${companyId}, id, 1, '', '[]' from template`);
  await db().execute(sql`
    with webhook as (
      insert into webhooks (id, company_id, endpoint, events, sealed_secret, created_at)
      select uuidv7(), ${companyId}, 'https://a.example/', '{}', ${seal("webhook_secret", "whsec_")}, ${moment}
      from generate_series(1, ${rows}::int) as i returning id
    )
    insert into webhook_events (webhook_id, company_id, type, payload, status, created_at)
    select (select id from webhook limit 1), ${companyId}, 'email.sent', '{}', 'success', ${moment}
    from generate_series(1, ${rows}::int) as i`);
  await db().execute(sql`
    with domain as (select id, name from domains where company_id = ${companyId} limit 1), address as (
      insert into addresses (address, company_id, domain_id, kind)
      select kind || i || '@' || lower(name), ${companyId}, id, kind::address_kind
      from domain, generate_series(1, ${rows}::int) as i, unnest('{group,mailbox}'::text[]) as kind
      returning address, kind
    ), made as (
      insert into groups (address, company_id)
      select address, ${companyId} from address where kind = 'group' returning address
    )
    insert into group_members (group_address, member)
    select address, i || '@example.org' from made, generate_series(1, 3) as i`);
  await db().execute(sql`
    with root as (
      insert into org_units (company_id, name) values (${companyId}, 'Root') returning id
    ), unit as (
      insert into org_units (company_id, parent_id, name)
      select ${companyId}, id, 'Unit ' || i from root, generate_series(1, ${rows}::int) as i returning id
    )
    insert into group_units (group_address, org_unit_id)
    select address, id from (select address, row_number() over () as i from groups where company_id = ${companyId})
      join (select id, row_number() over () as i from unit) using (i)`);
  await db().execute(sql`
    insert into quarantine (id, company_id, reason, sender, recipients, size, created_at)
    select uuidv7(), ${companyId}, 'spam', '', '{}', 1, ${moment}
    from generate_series(1, ${rows}::int) as i`);
  await db().execute(sql`
    insert into mail_log (kind, company_id, recipient, reply, created_at)
    select 'received', ${companyId}, i || '@example.org', '250 OK', ${moment}
    from generate_series(1, ${rows}::int) as i`);
  await db().execute(sql`
    with message as (
      insert into messages (id, company_id, origin, sender, is_sender_told, size, recipient_count)
      select uuidv7(), ${companyId}, 'submission', 'a@example.org', true, 1, 1
      from generate_series(1, ${rows}::int) as i returning id
    ), delay as (
      insert into message_delays (message_id, company_id, recipient, dsn, reply)
      select id, ${companyId}, 'b@example.org', '4.0.0', 'Later' from message
    )
    insert into message_recipients (message_id, company_id, recipient, destination, state, settled_at)
    select id, ${companyId}, 'b@example.org', 'example.org', 'delivered', now() - random() * interval '9 days'
    from message`);
  await db().execute(sql`
    insert into api_keys (id, company_id, creator_id, name, prefix, secret_hash, created_at, revoked_at)
    select uuidv7(), ${companyId}, ${adminId}, 'Key', 'ph_', ${companyId} || i || ended, ${moment},
      case when ended then now() end
    from generate_series(1, ${rows}::int) as i, unnest('{true,false}'::boolean[]) as ended`);
}

/** The plans of all queries for a page. */
async function plansOf(read: () => Promise<unknown>): Promise<string> {
  statements.length = 0;
  await read();
  const plans = [];
  for (const { query, params } of [...statements])
    for (const planned of [
      pool().sql.unsafe(`explain (generic_plan) ${query}`),
      pool().sql.unsafe(`explain ${query}`, params as string[]),
    ])
      plans.push(...(await planned).map((row) => String(row["QUERY PLAN"])));
  return plans.join("\n");
}

const ANY_EMAIL = {
  recipient: null,
  subject: null,
  states: [],
  domainId: null,
  tag: null,
  apiKeyId: null,
  from: null,
  to: null,
  isTest: null,
};

const lists: [string, (page: PageRequest) => Promise<Page<{ id: string | bigint }>>][] = [
  ["emails", (page) => listEmails(ctx, page)],
  ["searched emails", (page) => searchEmails(ctx, page, ANY_EMAIL)],
  ["an email's events", (page) => listEmailEvents(ctx, emailId, page)],
  ["domains", (page) => listDomains(ctx, page)],
  ["API keys", (page) => listApiKeys(ctx, page)],
  ["API keys of people", (page) => listKeysWithCreators(ctx, page, { isRevoked: false })],
  ["revoked API keys", (page) => listKeysWithCreators(ctx, page, { isRevoked: true })],
  ["requests", (page) => listRequests(ctx, page)],
  // Filtered lists are read in steps: see search-by-time.ts.
  ["searched requests", (page) => searchRequests(ctx, page, {})],
  [
    "searched requests, oldest first",
    (page) => searchRequests(ctx, { ...page, direction: "ascending" }, {}),
  ],
  ["suppressions", (page) => listSuppressions(ctx, page, null)],
  [
    "searched suppressions",
    (page) => searchSuppressions(ctx, page, { origin: null, search: null }),
  ],
  ["templates", (page) => listTemplates(ctx, page)],
  ["webhooks", (page) => listWebhooks(ctx, page)],
  ["audit entries", (page) => listAudit(ctx, page, {})],
  [
    "held messages",
    (page) => listQuarantine(ctx, page, { reasons: ["spam", "virus"], search: null }),
  ],
  [
    "groups",
    async (page) => {
      const { rows, hasMore } = await listGroups(ctx, page);
      return { hasMore, rows: rows.map(({ address }) => ({ id: address })) };
    },
  ],
  [
    "a webhook's events",
    async (page) => {
      const { rows, hasMore } = await listWebhookEvents(ctx, webhookId, page);
      return { hasMore, rows: rows.map(({ id }) => ({ id: toEventId(id) })) };
    },
  ],
];

/** Several entries of these logs can share a timestamp. */
const logs: [string, typeof listMailLog | typeof listOutgoing, string[]][] = [
  ["the mail log", listMailLog, ["mail_log"]],
  ["outgoing mail", listOutgoing, ["email_events", "message_recipients", "message_delays"]],
];

describe.each(logs)("a page of %s is read with an index scan", (_, list, tables) => {
  test.each([
    ["first", {}],
    ["next", {}],
    ["of a time", { from: "2020-01-01T00:00:00Z", to: "2030-01-01T00:00:00Z" }],
    ["of a company", {}],
  ])("%s", async (kind, time) => {
    const filter = { ...time, ...(kind === "of a company" && { companyId: ctx.companyId }) };
    const bounds = { step: 100, stepsMax: 3 };
    const { next } = await list(ctx.db, {}, { limit: 3, before: null }, bounds);
    const before = kind === "next" ? next : null;

    const plans = await plansOf(() => list(ctx.db, filter, { limit: 3, before }, bounds));

    expect(plans).toMatch(/Limit/);
    expect(plans).not.toMatch(/Bitmap|-> {2}Sort.*\n.*Sort Key: (?!\(\(search)/);
    expect(plans).not.toMatch(/Seq Scan on (mail_log|email_events|message)/);
    if (kind === "of a company")
      for (const table of tables) expect(plans).toMatch(new RegExp(`using ${table}_company_`));
  });
});

describe.each(lists)("a page of %s is read with an index scan", (_, list) => {
  test.each(["first", "after", "before"])("%s", async (kind) => {
    const start = { limit: 3, after: null, before: null };
    const cursor = String((await list(start)).rows[2]!.id);
    const page = kind === "first" ? start : { ...start, [kind]: cursor };

    const plans = await plansOf(() => list(page));

    expect(plans).toMatch(/Limit/);
    // Nothing is listed from `mailboxes`, which is empty here: a group counts those in its units.
    expect(plans).not.toMatch(/Sort|Seq Scan on (?!mailboxes )|Bitmap/);
  });
});
