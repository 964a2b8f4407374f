import { sql } from "drizzle-orm";
import { drizzle } from "drizzle-orm/postgres-js";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import * as schema from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { ensureRootUnit } from "#server/core/mailboxes/org-units/units.ts";
import type { Context } from "#server/core/shared/context.ts";
import { db, pool } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { aCompany, aContext, aDomain } from "#server/testing/factories.ts";

import { listMailboxes, MAILBOX_SORT_KEYS, searchMailboxes } from "./mailbox-list.ts";

// 10,000 mailboxes in two domains, half of them in a unit, each with usage, a sign-in and two aliases.
// Pages must be read from an index, whatever the size: checks the query plans, with and without
// known parameters.

type Statement = { query: string; params: unknown[] };

const MAILBOXES = 10_000;
const everything = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });
const statements: Statement[] = [];
let dovecot: TestDovecot;
let ctx: Context;
let domain: string;
let unitId: number;

beforeAll(async () => {
  dovecot = await aDovecot({ givenFolder: config().dataFolder });
  const logger = {
    logQuery: (query: string, params: unknown[]) => statements.push({ query, params }),
  };
  for (let i = 0; i < 5; i++) await fill((await aCompany()).id, 400);
  const companyId = (await aCompany()).id;
  ({ domain, unitId } = await fill(companyId, MAILBOXES));
  await db().execute(sql`
    analyze addresses, mailboxes, aliases, mailbox_usage, mailbox_sign_ins, org_units, domains`);
  const logged = drizzle(pool().sql, { schema, casing: "snake_case", logger });
  ctx = { ...aContext(companyId), db: logged };
});

afterAll(() => dovecot.stop());

async function fill(companyId: string, mailboxes: number) {
  const root = await ensureRootUnit({ db: db(), companyId });
  const [first, second] = [await aDomain(companyId), await aDomain(companyId)];
  const [unit] = await db()
    .insert(schema.orgUnits)
    .values({ companyId, parentId: root, name: "Sales" })
    .returning();
  await db().transaction(async (tx) => {
    await tx.execute(sql`
    create temp table made on commit drop as
    select 'user' || i || '@' || d.name as address, d.id as domain_id, d.name as domain, i,
      case when i % 2 = 0 then ${unit!.id}::int else ${root}::int end as unit
    from generate_series(1, ${mailboxes}::int) i
      join domains d on d.id = case when i <= ${mailboxes - 50} then ${first.id}::uuid else ${second.id}::uuid end`);
    await tx.execute(sql`
    insert into addresses (address, company_id, domain_id, kind)
    select address, ${companyId}::uuid, domain_id, 'mailbox'::address_kind from made
    union all select 'also' || n || address, ${companyId}::uuid, domain_id, 'alias'::address_kind
    from made, generate_series(1, 2) n`);
    await tx.execute(sql`
    insert into mailboxes (address, company_id, domain_id, org_unit_id, name, password_hash, quota_mb, store)
    select address, ${companyId}::uuid, domain_id, unit, 'User ' || i, '', 512, domain || '/' || i from made`);
    await tx.execute(sql`
    insert into aliases (address, mailbox)
    select 'also' || n || address, address from made, generate_series(1, 2) n`);
    await tx.execute(sql`insert into mailbox_usage select address, 1000, 7 from made`);
    await tx.execute(sql`insert into mailbox_sign_ins select address, 1772442727 from made`);
  });
  return { domain: second.name, unitId: unit!.id };
}

const ofUnit = () =>
  effectivePrivileges({
    isOwner: false,
    privileges: [],
    roles: [{ privileges: ["view_users"], units: [unitId] }],
  });

const start = { limit: 100, after: null, before: null };

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

const lists: [string, () => { domain?: string }, typeof ofUnit][] = [
  ["the company", () => ({}), () => everything],
  ["a domain", () => ({ domain }), () => everything],
  ["a unit", () => ({}), ofUnit],
];

describe.each(lists)("a page of the mailboxes of %s", (_, filter, callerPrivileges) => {
  test.each(["first", "after", "before"])("%s is read with an index scan", async (kind) => {
    const { rows } = await listMailboxes(ctx, callerPrivileges(), { ...start, limit: 3 }, filter());
    const cursor = rows[2]!.address;
    const page = { ...start, limit: 3, ...(kind !== "first" && { [kind]: cursor }) };

    const plans = await plansOf(() => listMailboxes(ctx, callerPrivileges(), page, filter()));

    expect(plans).toMatch(/Limit/);
    // Only a mailbox's two aliases and the company's units are sorted or scanned.
    expect(plans).not.toMatch(/Seq Scan on (addresses|mailboxes|mailbox_usage|mailbox_sign_ins)/);
    expect(plans).not.toMatch(/Sort Key: (mailboxes|addresses)/);
  });
});

test.each(MAILBOX_SORT_KEYS)(
  "all mailboxes are paged through by %s, in both directions",
  async (by) => {
    for (const direction of ["ascending", "descending"] as const) {
      const seen: string[] = [];
      let after: string | null = null;
      do {
        const page = { limit: 2_000, after, before: null };
        const { rows, hasMore } = await searchMailboxes(
          ctx,
          everything,
          page,
          {},
          { by, direction },
        );
        seen.push(...rows.map(({ address }) => address));
        after = hasMore ? rows.at(-1)!.address : null;
      } while (after !== null);
      expect([seen.length, new Set(seen).size]).toEqual([MAILBOXES, MAILBOXES]);
    }
  },
);

test("counts a search, and the rows before a page", async () => {
  const sort = { by: "address", direction: "ascending" } as const;
  const { rows } = await searchMailboxes(ctx, everything, start);
  const after = { ...start, after: rows[49]!.address };
  const next = await searchMailboxes(ctx, everything, after, {}, sort);
  expect(await next.count()).toEqual({ before: 50, total: MAILBOXES, isCut: false });
  const ofDomain = await searchMailboxes(ctx, everything, start, { domain }, sort);
  expect(await ofDomain.count()).toEqual({ before: 0, total: 50, isCut: false });
});

test("accepts any search text", async () => {
  const found = await searchMailboxes(ctx, everything, start, { search: "\0USER1\0@" });
  expect(found.rows).toMatchObject([{ address: expect.stringMatching(/^user1@/) as string }]);
});

test("returns a full page of a hundred", async () => {
  const { rows, hasMore } = await listMailboxes(ctx, everything, start);
  expect(hasMore).toBe(true);
  expect(rows).toHaveLength(100);
  for (const row of rows) {
    expect(row).toMatchObject({ usedBytes: 1000, messages: 7 });
    expect(row.aliases).toEqual([`also1${row.address}`, `also2${row.address}`]);
  }
});
