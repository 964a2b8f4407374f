import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { suppressions } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, aSuppression } from "#server/testing/factories.ts";
import { anOperatorSession, anOwnerSession } from "#server/testing/operators.ts";

import { operateConsole } from "./operate.ts";

const erase = (cookie: string, address: string, options: { keepSuppressions?: boolean } = {}) =>
  callFromPage(operateConsole.erasePerson, { cookie, body: { address, ...options } });

test("an operator erases a person, other owners can't", async () => {
  const company = await aCompany();
  await aSuppression(company.id, { email: "ann@erased.test" });
  expect((await erase(await anOwnerSession(company.id), "ann@erased.test")).status).toBe(403);
  const { cookie } = await anOperatorSession();
  expect(await erase(cookie, "ann@erased.test")).toMatchObject({
    status: 200,
    body: {
      pseudonym: expect.stringMatching(/@erased\.invalid$/) as string,
      erased: { contacts: 0, emails: 0 },
    },
  });
  expect(await db().$count(suppressions, eq(suppressions.companyId, company.id))).toBe(1);
  expect(await erase(cookie, "ann@erased.test", { keepSuppressions: false })).toMatchObject({
    body: { erased: { suppressions: 1 } },
  });
  expect(await db().$count(suppressions, eq(suppressions.companyId, company.id))).toBe(0);
  expect(await erase(cookie, "x")).toMatchObject({
    status: 422,
    body: { message: '"x" is not an email address' },
  });
});
