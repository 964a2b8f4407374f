import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { apiKeys } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, anAdmin } from "#server/testing/factories.ts";

import { createKeyFor } from "./create-key-for.ts";

test("restricts a sending key to the domain, and rejects an unset variable in its place", async () => {
  const company = await aCompany();
  const admin = await anAdmin(company.id, { isOwner: true });
  const domain = await aDomain(company.id);
  const create = (named: string) =>
    createKeyFor(db(), {
      ...{ company: company.id, as: admin.email, name: "Shop", permission: "sending_access" },
      domain: named,
    });
  const { id } = await create(domain.name.toUpperCase());
  const keys = await db().select().from(apiKeys).where(eq(apiKeys.companyId, company.id));
  expect(keys).toEqual([expect.objectContaining({ id, domainId: domain.id })]);
  await expect(create("")).rejects.toThrow("The company has no domain");
  expect(await db().$count(apiKeys, eq(apiKeys.companyId, company.id))).toBe(1);
});
