import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { auditEntries, companies } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext } from "#server/testing/factories.ts";

import { changeAllowedAddresses, hasGreylisting, setGreylisting } from "./company-settings.ts";

const listOf = async (id: string) => {
  const [company] = await db().select().from(companies).where(eq(companies.id, id));
  return company!.allowedAddresses;
};

const OWNER = { isOwner: true };

test("stores the list in canonical form without duplicates", async () => {
  const { id } = await aCompany();

  const kept = await changeAllowedAddresses(aContext(id), OWNER, [
    " 192.0.2.7/24 ",
    "192.0.2.0/24",
    "2001:DB8::0:7",
  ]);

  expect(kept).toEqual(["192.0.2.0/24", "2001:db8::7"]);
  expect(await listOf(id)).toEqual(kept);
});

test("allows every address with an empty list", async () => {
  const { id } = await aCompany({ allowedAddresses: ["192.0.2.0/24"] });

  expect(await changeAllowedAddresses(aContext(id), OWNER, [])).toEqual([]);
  expect(await listOf(id)).toEqual([]);
});

test("names an invalid entry and leaves the list unchanged", async () => {
  const { id } = await aCompany({ allowedAddresses: ["192.0.2.0/24"] });

  await expect(
    changeAllowedAddresses(aContext(id), OWNER, ["203.0.113.1", "example.com"]),
  ).rejects.toMatchObject({
    reason: "invalid",
    message: expect.stringContaining("example.com") as string,
  });
  expect(await listOf(id)).toEqual(["192.0.2.0/24"]);
});

test("rejects more than 200 entries", async () => {
  const { id } = await aCompany();
  const many = (count: number) =>
    Array.from({ length: count }, (_, i) => `10.0.${Math.floor(i / 256)}.${i % 256}`);

  expect(await changeAllowedAddresses(aContext(id), OWNER, many(200))).toHaveLength(200);
  await expect(changeAllowedAddresses(aContext(id), OWNER, many(201))).rejects.toMatchObject({
    reason: "invalid",
  });
});

test("audits the old and the new list and leaves other companies unchanged", async () => {
  const [{ id }, other] = await Promise.all([
    aCompany({ allowedAddresses: ["192.0.2.1"] }),
    aCompany({ allowedAddresses: ["192.0.2.1"] }),
  ]);

  await changeAllowedAddresses(aContext(id), OWNER, ["192.0.2.2"]);

  const entries = await db()
    .select({ details: auditEntries.details })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.companyId, id),
        eq(auditEntries.action, "company.allowed_addresses_changed"),
      ),
    );
  expect(entries).toEqual([{ details: { from: ["192.0.2.1"], to: ["192.0.2.2"] } }]);
  expect(await listOf(other.id)).toEqual(["192.0.2.1"]);
});

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
