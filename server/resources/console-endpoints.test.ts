import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";

import { admins, companies } from "#drizzle/schema/index.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";
import { anOwnerSession } from "#server/testing/operators.ts";

import { consoleEndpoints } from "./pages.ts";

/** These name no existing objects: all tested checks run before any lookup. */
const params = {
  id: "01990000-0000-7000-8000-000000000000",
  eventId: "msg_01990000000070008000000000000000",
  email: "nobody@example.com",
  address: "nobody@example.com",
  mailbox: "nobody@example.com",
  position: "0",
  name: "nothing",
};

const named = consoleEndpoints.map(
  (endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const,
);

const openEndpoints = named.filter(([, { permission }]) => permission === "same_origin");
const protectedEndpoints = named.filter(([, { permission }]) => permission !== "same_origin");

/** The session of an admin of a new company. */
async function aSignedInAdmin(more: Parameters<typeof anAdmin>[1] = {}) {
  const company = await aCompany();
  const { id } = await anAdmin(company.id, more);
  return { id, companyId: company.id, cookie: (await startSession(db(), id)).split(";")[0]! };
}

const operator = { isOwner: true, isOperator: true };
const forbidden = { status: 403, body: { statusCode: 403, name: "invalid_permission" } };

test("only endpoints that lead to a session don't require one", () => {
  expect(openEndpoints.map(([name]) => name)).toEqual([
    "POST /console/api/invitations/get",
    "POST /console/api/invitations/accept",
    "POST /console/api/passwordReset/requestReset",
    "POST /console/api/passwordReset/checkResetLink",
    "POST /console/api/passwordReset/resetOwnPassword",
    "POST /console/api/sessions/signIn",
    "POST /console/api/sessions/secondFactor",
    "POST /console/api/sessions/passkeyOptions",
    "POST /console/api/sessions/passkeySignIn",
    "POST /console/api/sessions/startProviderSignIn",
    "POST /console/api/sessions/providerSignIn",
    "POST /console/api/setUp/getSetUp",
    "POST /console/api/setUp/setUp",
  ]);
});

test("with a required second factor missing, only the admin's own profile is available", () => {
  const open = protectedEndpoints.filter(([, { permission }]) => permission === "console_door");
  const others = open.filter(([, { path }]) => !/\/api\/(profile|secondFactors)\//.test(path));
  expect(others.map(([name]) => name).toSorted()).toEqual([
    "GET /console/api/sessions/getMe",
    "POST /console/api/sessions/signOut",
    "POST /console/api/sessions/switchCompany",
  ]);
});

test("instance-wide endpoints require an operator", () => {
  const isInstanceWide = (path: string) =>
    /\/api\/(companies|mailHosts|mailLog|operate|plans|queue|serverSettings)\//.test(path);
  for (const [name, { permission, path }] of protectedEndpoints)
    expect([name, permission === "operator"]).toEqual([name, isInstanceWide(path)]);
});

test.each(protectedEndpoints)("%s requires a valid session", async (_, endpoint) => {
  for (const cookie of [undefined, "posthouse_session=made-up"]) {
    const { status, body } = await call(endpoint, {
      params,
      headers: { "sec-fetch-site": "same-origin" },
      ...(cookie !== undefined && { cookie }),
    });
    expect(body).toMatchObject({ statusCode: 401, name: "not_signed_in" });
    expect(status).toBe(401);
  }
});

describe("disabled admins and suspended companies", () => {
  let cookies: string[];
  beforeAll(async () => {
    const now = new Date().toISOString();
    const disabled = await aSignedInAdmin(operator);
    await db().update(admins).set({ disabledAt: now }).where(eq(admins.id, disabled.id));
    const suspended = await aSignedInAdmin(operator);
    await db()
      .update(companies)
      .set({ suspendedAt: now })
      .where(eq(companies.id, suspended.companyId));
    cookies = [disabled.cookie, suspended.cookie];
  });

  test.each(protectedEndpoints)("%s rejects them", async (_, endpoint) => {
    for (const cookie of cookies)
      expect((await call(endpoint, { params, cookie })).status).toBe(401);
  });
});

describe("admins without privileges", () => {
  let cookie: string;
  beforeAll(async () => {
    ({ cookie } = await aSignedInAdmin({ privileges: [] }));
  });

  test.each(protectedEndpoints.filter(([, { privilege }]) => privilege !== null))(
    "%s rejects them",
    async (_, endpoint) => {
      expect(await call(endpoint, { params, cookie, body: {} })).toMatchObject(forbidden);
    },
  );
});

describe("owners who are not operators", () => {
  let cookie: string;
  beforeAll(async () => {
    cookie = await anOwnerSession();
  });

  test.each(protectedEndpoints.filter(([, { permission }]) => permission === "operator"))(
    "%s rejects them",
    async (_, endpoint) => {
      expect(await call(endpoint, { params, cookie, body: {} })).toMatchObject(forbidden);
    },
  );
});

describe("admins who must set up a second factor", () => {
  let cookie: string;
  beforeAll(async () => {
    const admin = await aSignedInAdmin(operator);
    await db()
      .update(companies)
      .set({ secondFactorRequired: true })
      .where(eq(companies.id, admin.companyId));
    ({ cookie } = admin);
  });

  test.each(protectedEndpoints.filter(([, { permission }]) => permission !== "console_door"))(
    "%s rejects them",
    async (_, endpoint) => {
      expect(await call(endpoint, { params, cookie, body: {} })).toMatchObject({
        status: 403,
        body: { name: "second_factor_due" },
      });
    },
  );
});
