import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { auditEntries, suppressions } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, aSuppression } from "#server/testing/factories.ts";

import { type CompanySnapshot, takeSnapshot } from "./take-snapshot.ts";

const take = <T>(companyId: string, work: (snapshot: CompanySnapshot) => Promise<T>) =>
  takeSnapshot(aContext(companyId), { mail: "none" }, work);

test("has no changes made while it is read, and is audited", async () => {
  const { id: companyId } = await aCompany();
  await aSuppression(companyId, { email: "still@example.org" });
  await take(companyId, async (snapshot) => {
    await aSuppression(companyId);
    await db().delete(suppressions).where(eq(suppressions.email, "still@example.org"));
    const lines = await Array.fromAsync(snapshot.lines("suppressions"));
    expect(lines).toHaveLength(1);
    expect(lines[0]).toContain('"email":"still@example.org"');
  });
  const entries = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.companyId, companyId));
  expect(entries.filter(({ action }) => action === "company.exported")).toMatchObject([
    { details: { mail: "none" } },
  ]);
});

test("reads large tables in batches", async () => {
  const { id: companyId } = await aCompany();
  const rows = Array.from({ length: 1_200 }, (_, at) => ({
    companyId,
    email: `p${at}@example.org`,
    origin: "bounce" as const,
  }));
  await db().insert(suppressions).values(rows);
  const lines = await take(companyId, (snapshot) =>
    Array.fromAsync(snapshot.lines("suppressions")),
  );
  expect(new Set(lines)).toHaveLength(1_200);
});

test("private DKIM keys are those of the company's domains", async () => {
  const { id: companyId } = await aCompany();
  const { name } = await aDomain(companyId);
  await aDomain((await aCompany()).id);
  const keys = await take(companyId, (snapshot) => Array.fromAsync(snapshot.dkimPrivateKeys()));
  expect(keys.map(({ domain }) => domain)).toEqual([name]);
  for (const { pem } of keys) expect(pem).toMatch(/^-----BEGIN PRIVATE KEY-----\n/);
});
