import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { auditEntries, companies } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

import { hasGreylisting, setGreylisting } from "./greylisting.ts";

test("a change of greylisting applies at once in this process", async () => {
  const ctx = aContext((await aCompany()).id);
  for (const isOn of [false, true, false]) {
    await setGreylisting(ctx, isOn);
    expect(await hasGreylisting(ctx)).toBe(isOn);
  }
});

test("changes greylisting for one company and audits each change once", async () => {
  const ctx = aContext((await aCompany()).id);
  const other = (await aCompany()).id;
  for (const isOn of [true, true, false]) await setGreylisting(ctx, isOn);
  await setGreylisting(ctx, true);

  const isOn = async (id: string) =>
    (await db().select().from(companies).where(eq(companies.id, id)))[0]!.greylisting;
  expect(await isOn(ctx.companyId)).toBe(true);
  expect(await isOn(other)).toBe(false);
  const entries = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.companyId, ctx.companyId));
  expect(entries.map(({ action }) => action)).toEqual([
    "company.greylisting_enabled",
    "company.greylisting_disabled",
    "company.greylisting_enabled",
  ]);
});
