import { expect, test } from "vitest";

import { ensureSandbox } from "#server/core/operations/sandbox/sandbox.ts";
import { db } from "#server/db/pool.ts";
import { aCompany } from "#server/testing/factories.ts";

import { hasSeveralCompanies } from "./companies.ts";

test("the sandbox doesn't count as a second company, but the first company does for the sandbox", async () => {
  const sandbox = { db: db(), ...(await ensureSandbox(db(), { canSignIn: false })) };
  expect(await hasSeveralCompanies(sandbox)).toBe(false);
  const first = { db: db(), companyId: (await aCompany()).id };
  expect(await hasSeveralCompanies(first)).toBe(false);
  expect(await hasSeveralCompanies(sandbox)).toBe(true);
  await aCompany();
  expect(await hasSeveralCompanies(first)).toBe(true);
});
