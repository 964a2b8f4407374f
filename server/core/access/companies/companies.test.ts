import { expect, test } from "vitest";

import { ensureSandbox } from "#server/core/operations/sandbox/sandbox.ts";
import { db } from "#server/db/pool.ts";
import { aCompany } from "#server/testing/factories.ts";

import { hasSeveralCompanies } from "./companies.ts";

test("the sandbox isn't a second company", async () => {
  await ensureSandbox(db(), { canSignIn: false });
  expect(await hasSeveralCompanies(db())).toBe(false);
  await aCompany();
  expect(await hasSeveralCompanies(db())).toBe(false);
  await aCompany();
  expect(await hasSeveralCompanies(db())).toBe(true);
});
