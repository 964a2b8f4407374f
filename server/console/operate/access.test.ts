import { randomUUID } from "node:crypto";

import { beforeAll, expect, test } from "vitest";

import { endpoints } from "#server/console/registry.ts";
import { db } from "#server/db/pool.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";
import { anOwnerSession } from "#server/testing/operators.ts";

const PATH = "/console/api/operate/";
const all = endpoints.filter(({ path }) => path.startsWith(PATH));
const named = all.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);

let owner: string;
let unproven: string;
beforeAll(async () => {
  owner = await anOwnerSession();
  const company = await aCompany({ secondFactorRequired: true });
  const { id } = await anAdmin(company.id, { isOwner: true, isOperator: true });
  unproven = (await startSession(db(), id)).split(";")[0]!;
});

test("whatever is under the operators' path asks for an operator, and nothing else does", () => {
  expect(all.length).toBeGreaterThan(15);
  for (const endpoint of all)
    expect(endpoint).toMatchObject({ permission: "operator", privilege: null });
});

test.each(named)("%s: nobody signed in is 401", async (_, endpoint) => {
  const params = { id: randomUUID(), name: "region" };
  expect(await callFromPage(endpoint, { params, body: {} })).toMatchObject({
    status: 401,
    body: { name: "not_signed_in" },
  });
});

test.each(named)("%s: an owner who does not run the instance is 403", async (_, endpoint) => {
  const params = { id: randomUUID(), name: "region" };
  expect(await callFromPage(endpoint, { cookie: owner, params, body: {} })).toMatchObject({
    status: 403,
    body: { name: "invalid_permission" },
  });
});

test.each(named)("%s: an operator whose second factor is due is 403", async (_, endpoint) => {
  const params = { id: randomUUID(), name: "region" };
  expect(await callFromPage(endpoint, { cookie: unproven, params, body: {} })).toMatchObject({
    status: 403,
    body: { name: "second_factor_due" },
  });
});
