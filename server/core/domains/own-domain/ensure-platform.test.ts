import { eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";

import { companies, dkimKeys, domains } from "#drizzle/schema/index.ts";
import { isSetUp } from "#server/core/operations/companies/is-set-up.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";

import { ensurePlatform } from "./ensure-platform.ts";

const HOME = { hostname: "mail.appliance.example", localMode: false };
const LOCAL = { hostname: "posthouse.localhost", localMode: true };

afterEach(() => db().delete(companies));

test("at the same moment one company is made, with a domain that may send and a key", async () => {
  const [platform, same] = await Promise.all([
    ensurePlatform(db(), HOME),
    ensurePlatform(db(), HOME),
  ]);

  expect(same).toEqual(platform);
  expect(platform.domain).toBe("mail.appliance.example");
  expect(await db().select().from(companies)).toMatchObject([{ purpose: "platform" }]);
  expect(await db().select().from(domains)).toMatchObject([
    { name: "mail.appliance.example", status: "verified", companyId: platform.companyId },
  ]);
  expect(await db().$count(dkimKeys)).toBe(1);
});

test("the instance is not set up by it", async () => {
  await ensurePlatform(db(), HOME);
  expect(await isSetUp(db())).toBe(false);
});

test("what is missing comes back, and a status that was taken away too", async () => {
  const platform = await ensurePlatform(db(), HOME);
  await db().delete(dkimKeys);
  await db().update(domains).set({ status: "pending" });

  expect(await ensurePlatform(db(), HOME)).toEqual(platform);
  expect(await db().$count(dkimKeys)).toBe(1);
  expect(await db().$count(domains, eq(domains.status, "verified"))).toBe(1);
});

test("a host name that a company has proven as its own stays the company's", async () => {
  const customer = await aCompany();
  await aDomain(customer.id, { name: "mail.appliance.example" });
  expect(await ensurePlatform(db(), HOME)).toMatchObject({
    domain: "notices.mail.appliance.example",
  });
  await aDomain(customer.id, { name: "second.example", ownershipProvenAt: null });
  expect(
    await ensurePlatform(db(), { hostname: "second.example", localMode: false }),
  ).toMatchObject({ domain: "second.example" });
});

test("in local mode the sandbox keeps its domain", async () => {
  expect(await ensurePlatform(db(), LOCAL)).toMatchObject({
    domain: "notices.posthouse.localhost",
  });
});
