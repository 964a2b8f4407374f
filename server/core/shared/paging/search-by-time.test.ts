import { eq, sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";

import { suppressions } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany } from "#server/testing/factories.ts";

import type { PageRequest } from "./pages.ts";
import { searchByTime } from "./search-by-time.ts";

/** Entries 1 to 100, newest first; every tenth matches. */
let companyId: string;
let ids: Map<number, string>;
const bounds = { step: 15, stepsMax: 2 };

beforeAll(async () => {
  companyId = (await aCompany()).id;
  const rows = await db().execute<{ id: string; email: string }>(sql`
    insert into suppressions (id, company_id, email, origin, created_at)
    select uuidv7(), ${companyId}, i || case i % 10 when 0 then '@ten.example' else '@example.org' end,
      'manual', now() - i * interval '1 minute' from generate_series(1, 100) as i
    returning id, email`);
  ids = new Map(rows.map(({ id, email }) => [parseInt(email), id]));
});

async function search(page: Partial<PageRequest>, filter: string | null = "%@ten%") {
  const { rows, hasMore, searchedTo } = await searchByTime(
    db(),
    suppressions,
    {
      inList: eq(suppressions.companyId, companyId),
      fits: filter === null ? undefined : sql`${suppressions.email} like ${filter}`,
    },
    { limit: 50, after: null, before: null, ...page },
    bounds,
  );
  const number = (id: string) => [...ids].find(([, each]) => each === id)![0];
  return {
    found: rows.map(({ id }) => number(id)),
    hasMore,
    to: searchedTo && number(searchedTo.id),
  };
}

test("searches for rare matches up to the bound, and continues from there", async () => {
  expect(await search({})).toEqual({ found: [10, 20, 30], hasMore: false, to: 30 });
  expect(await search({ after: ids.get(30)! })).toEqual({
    found: [40, 50, 60],
    hasMore: false,
    to: 60,
  });
  expect(await search({ after: ids.get(90)! })).toEqual({
    found: [100],
    hasMore: false,
    to: null,
  });
});

test("stops at a full page", async () => {
  expect(await search({ limit: 2 })).toEqual({ found: [10, 20], hasMore: true, to: null });
  expect(await search({ limit: 2, after: ids.get(20)! })).toEqual({
    found: [30, 40],
    hasMore: true,
    to: null,
  });
});

test("searches towards the newest in the same way", async () => {
  expect(await search({ before: ids.get(95)! })).toEqual({
    found: [70, 80, 90],
    hasMore: false,
    to: 65,
  });
  expect(await search({ limit: 1, before: ids.get(30)! })).toEqual({
    found: [20],
    hasMore: true,
    to: null,
  });
  expect(await search({ before: ids.get(15)! })).toMatchObject({ found: [10], to: null });
});

test("returns where it stopped if nothing matches", async () => {
  expect(await search({}, "%@nowhere%")).toEqual({ found: [], hasMore: false, to: 30 });
});

test("returns the whole list without a filter", async () => {
  const { found, hasMore, to } = await search({ limit: 40 }, null);
  expect(found).toEqual(Array.from({ length: 40 }, (_, i) => i + 1));
  expect([hasMore, to]).toEqual([true, null]);
  expect((await search({ limit: 100 }, null)).hasMore).toBe(false);
});

test.each(["after", "before"])("rejects an entry of another list as a cursor %s", async (kind) => {
  const other = await aCompany();
  const [row] = await db()
    .insert(suppressions)
    .values({ companyId: other.id, email: "a@example.org", origin: "manual" })
    .returning();
  await expect(search({ [kind]: row!.id })).rejects.toThrow("Invalid pagination cursor");
  await expect(search({ [kind]: "17" })).rejects.toThrow("Invalid pagination cursor");
});
