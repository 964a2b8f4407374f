import { expect, test } from "vitest";

import { suppressions } from "#drizzle/schema/index.ts";
import { searchSuppressions } from "#server/core/sending/suppressions/search-suppressions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

const ALL = { origin: null, search: null };

async function aListOf(rows: number) {
  const { id: companyId } = await aCompany();
  const values = Array.from({ length: rows }, (_, i) => ({
    companyId,
    email: `p${i}@example.org`,
    origin: "manual" as const,
  }));
  for (let i = 0; i < rows; i += 5_000)
    await db()
      .insert(suppressions)
      .values(values.slice(i, i + 5_000));
  return aContext(companyId);
}

test("counts the list and the rows before a page, of the company only", async () => {
  await aListOf(2);
  const ctx = await aListOf(7);
  const first = { limit: 3, after: null, before: null };
  const { rows, count } = await searchSuppressions(ctx, first, ALL);
  const next = await searchSuppressions(ctx, { ...first, after: rows[2]!.id }, ALL);
  const end = await searchSuppressions(ctx, { ...first, after: rows[2]!.id, limit: 0 }, ALL);
  expect(await count()).toEqual({ before: 0, total: 7, isCut: false });
  expect(await next.count()).toMatchObject({ before: 3, total: 7 });
  expect(await end.count()).toMatchObject({ before: 0, total: 7 });
});

test("stops at 10,000, and doesn't count with a filter that no index supports", async () => {
  const ctx = await aListOf(10_001);
  const first = { limit: 3, after: null, before: null };
  const found = await searchSuppressions(ctx, first, ALL);
  expect(await found.count()).toMatchObject({ total: 10_000, isCut: true });
  const searched = await searchSuppressions(ctx, first, { ...ALL, search: "p1" });
  expect(await searched.count()).toBeNull();
});
