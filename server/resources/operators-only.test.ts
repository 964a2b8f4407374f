import { randomUUID } from "node:crypto";

import { beforeAll, expect, test } from "vitest";

import { getFactors, personAccount } from "#server/core/access/second-factors/factors.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { aTotp } from "#server/testing/a-second-factor.ts";
import { callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";
import { anOperatorSession, anOwnerSession } from "#server/testing/operators.ts";

import { serverSettingsConsole } from "./server-settings.ts";
import { consoleEndpoints } from "./pages.ts";
import { sessionsConsole } from "./sessions.ts";

/** Nouns whose endpoints concern the whole server. */
const NOUNS = ["companies", "mailHosts", "mailLog", "operate", "plans", "queue", "serverSettings"];
const nounOf = ({ path }: (typeof consoleEndpoints)[number]) => path.split("/")[3]!;
const all = consoleEndpoints.filter((endpoint) => NOUNS.includes(nounOf(endpoint)));
const named = all.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const);

let owner: string;
let withoutFactor: string;

beforeAll(async () => {
  owner = await anOwnerSession();
  const company = await aCompany({ secondFactorRequired: true });
  const { id } = await anAdmin(company.id, { isOwner: true, isOperator: true });
  withoutFactor = (await startSession(db(), id)).split(";")[0]!;
});

test("every endpoint that concerns the whole server requires an operator", () => {
  expect(new Set(all.map(nounOf))).toEqual(new Set(NOUNS));
  expect(all.length).toBeGreaterThan(25);
  for (const endpoint of all)
    expect(endpoint).toMatchObject({ permission: "operator", privilege: null });
});

test.each(named)("%s requires a session", async (_, endpoint) => {
  const params = { id: randomUUID(), name: "region", email: "a@example.com" };
  expect(await callFromPage(endpoint, { params, body: {} })).toMatchObject({
    status: 401,
    body: { name: "not_signed_in" },
  });
});

test.each(named)("%s rejects owners who are not operators", async (_, endpoint) => {
  const params = { id: randomUUID(), name: "region", email: "a@example.com" };
  expect(await callFromPage(endpoint, { cookie: owner, params, body: {} })).toMatchObject({
    status: 403,
    body: { name: "invalid_permission" },
  });
});

test.each(named)("%s requires the second factor to be set up", async (_, endpoint) => {
  const params = { id: randomUUID(), name: "region", email: "a@example.com" };
  expect(await callFromPage(endpoint, { cookie: withoutFactor, params, body: {} })).toMatchObject({
    status: 403,
    body: { name: "second_factor_due" },
  });
});

test("if the setting requires it, operators without a second factor can only set one up", async () => {
  const { cookie, email } = await anOperatorSession();
  const ask = (endpoint: typeof sessionsConsole.getMe | typeof serverSettingsConsole.list) =>
    callFromPage(endpoint, { cookie });
  expect((await ask(serverSettingsConsole.list)).status).toBe(200);
  await changeSetting(db(), "operator_second_factor", "required");
  expect(await ask(serverSettingsConsole.list)).toMatchObject({
    body: { name: "second_factor_due" },
  });
  expect(await ask(sessionsConsole.getMe)).toMatchObject({
    status: 200,
    body: { secondFactorDue: true },
  });
  expect((await callFromPage(sessionsConsole.getMe, { cookie: owner })).body).toMatchObject({
    secondFactorDue: false,
  });
  await aTotp(email);
  expect((await ask(serverSettingsConsole.list)).status).toBe(200);
  expect(await getFactors(db(), personAccount(email))).toMatchObject({ isRequired: true });
  await changeSetting(db(), "operator_second_factor", "optional");
  expect(await getFactors(db(), personAccount(email))).toMatchObject({ isRequired: false });
});
