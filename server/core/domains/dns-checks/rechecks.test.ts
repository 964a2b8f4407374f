import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { beforeEach, expect, test } from "vitest";

import { domains } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany } from "#server/testing/factories.ts";

import { leaseDueDomains } from "./rechecks.ts";

let companyId: string;

beforeEach(async () => {
  await db().delete(domains);
  companyId = (await aCompany()).id;
});

const minutesAgo = (minutes: number) => new Date(Date.now() - minutes * 60_000).toISOString();

/** Without a DKIM key, which is slow to generate and irrelevant here. */
async function checked(minutes: number | null, ownershipProvenAt: string | null = minutesAgo(0)) {
  const [domain] = await db()
    .insert(domains)
    .values({
      companyId,
      name: `${randomUUID()}.example`,
      ownershipToken: "t",
      ownershipProvenAt,
      checkedAt: minutes === null ? null : minutesAgo(minutes),
    })
    .returning();
  return domain!;
}

test("a domain is due 60 to 70 minutes after its last check, and before the first", async () => {
  const due = [await checked(71), await checked(null)];
  await checked(59);
  await checked(600, null);
  const leased = await leaseDueDomains(db(), 10);
  expect(leased.map(({ id }) => id).sort()).toEqual(due.map(({ id }) => id).sort());
  expect(await leaseDueDomains(db(), 10)).toEqual([]);
});

test("omits the appliance's own domain", async () => {
  companyId = (await aCompany({ purpose: "platform" })).id;
  await checked(null);
  expect(await leaseDueDomains(db(), 10)).toEqual([]);
});

test("spreads out domains that were checked together", async () => {
  const all = await Promise.all(Array.from({ length: 30 }, () => checked(65)));
  const leased = await leaseDueDomains(db(), 100);
  expect(leased.length).toBeGreaterThan(3);
  expect(leased.length).toBeLessThan(all.length - 3);
});

test("concurrent workers lease different domains without waiting", async () => {
  const all = await Promise.all(Array.from({ length: 30 }, () => checked(90)));
  const [locked] = all;
  const taken = await db().transaction(async (tx) => {
    await tx.select().from(domains).where(eq(domains.id, locked!.id)).for("update");
    return (await Promise.all(Array.from({ length: 10 }, () => leaseDueDomains(db(), 5)))).flat();
  });
  expect(new Set(taken.map(({ id }) => id)).size).toBe(taken.length);
  expect(taken.map(({ id }) => id)).not.toContain(locked!.id);
  const rest = await leaseDueDomains(db(), 100);
  expect(taken.length + rest.length).toBe(all.length);
});

test("leases the domain checked longest ago first, of ten thousand", async () => {
  await db().execute(sql`
    insert into domains (id, company_id, name, status, ownership_token, ownership_proven_at, checked_at)
    select gen_random_uuid(), ${companyId}, 'd' || n || '.example', 'verified', 't', now(), now() - n * interval '0.3 s'
    from generate_series(1, 10000) n`);
  const oldest = await db()
    .update(domains)
    .set({ checkedAt: minutesAgo(200) })
    .where(eq(domains.name, "d77.example"))
    .returning();
  await db().execute(sql`analyze domains`);
  expect(await leaseDueDomains(db(), 1)).toEqual([{ id: oldest[0]!.id, companyId }]);
});
