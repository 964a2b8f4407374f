import { eq } from "drizzle-orm";
import { afterEach, expect, test } from "vitest";

import { companies, dkimKeys, domains } from "#drizzle/schema/index.ts";
import { isSetUp } from "#server/core/operations/companies/set-up.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";

import { ensurePlatform } from "./own-domain.ts";

const HOME = { hostname: "mail.appliance.example", localMode: false };
const LOCAL = { hostname: "posthouse.localhost", localMode: true };

afterEach(() => db().delete(companies));

test("concurrent calls create one company, with a domain that can send and a key", async () => {
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

test("does not count as setting up the instance", async () => {
  await ensurePlatform(db(), HOME);
  expect(await isSetUp(db())).toBe(false);
});

test("restores missing parts and a lost status", async () => {
  const platform = await ensurePlatform(db(), HOME);
  await db().delete(dkimKeys);
  await db().update(domains).set({ status: "pending" });

  expect(await ensurePlatform(db(), HOME)).toEqual(platform);
  expect(await db().$count(dkimKeys)).toBe(1);
  expect(await db().$count(domains, eq(domains.status, "verified"))).toBe(1);
});

test("leaves a hostname to the company that verified its ownership", async () => {
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

test("keeps the sandbox's domain in local mode", async () => {
  expect(await ensurePlatform(db(), LOCAL)).toMatchObject({
    domain: "notices.posthouse.localhost",
  });
});
