import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";

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
  event_id: "msg_01990000000070008000000000000000",
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

async function aSignedInAdmin(more: Parameters<typeof anAdmin>[1] = {}) {
  const company = await aCompany();
  const { id } = await anAdmin(company.id, more);
  return { id, companyId: company.id, cookie: (await startSession(db(), id)).split(";")[0]! };
}

test("only endpoints that lead to a session don't require one", () => {
  expect(openEndpoints.map(([name]) => name)).toEqual([
    "POST /console/api/set-up/look",
    "POST /console/api/set-up",
    "POST /console/api/sign-in",
    "POST /console/api/sign-in/second-factor",
    "POST /console/api/sign-in/passkey/options",
    "POST /console/api/sign-in/passkey",
    "POST /console/api/sign-in/provider/start",
    "POST /console/api/sign-in/provider",
    "POST /console/api/password-reset",
    "POST /console/api/password-reset/check",
    "POST /console/api/password-reset/finish",
    "POST /console/api/invitation/look",
    "POST /console/api/invitation/accept",
  ]);
});

test("with a required second factor missing, only the admin's own profile is available", () => {
  const open = protectedEndpoints.filter(([, { permission }]) => permission === "console_door");
  const others = open.filter(([, { path }]) => !path.startsWith("/console/api/profile"));
  expect(others.map(([name]) => name)).toEqual([
    "POST /console/api/sign-out",
    "GET /console/api/me",
    "POST /console/api/companies/{id}/switch",
  ]);
});

test("instance-wide endpoints require an operator", () => {
  const isOperatorPath = (path: string) => /^\/console\/api\/(operate|checks)(\/|$)/.test(path);
  for (const [name, { permission, path }] of protectedEndpoints)
    expect([name, permission === "operator"]).toEqual([name, isOperatorPath(path)]);
});

describe.each(protectedEndpoints)("%s", (_, endpoint) => {
  test("requires a valid session", async () => {
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

  test("rejects disabled admins and suspended companies", async () => {
    const admin = await aSignedInAdmin({ isOwner: true, isOperator: true });
    const now = new Date().toISOString();

    await db().update(admins).set({ disabledAt: now }).where(eq(admins.id, admin.id));
    expect((await call(endpoint, { params, cookie: admin.cookie })).status).toBe(401);
    await db().update(admins).set({ disabledAt: null }).where(eq(admins.id, admin.id));
    await db().update(companies).set({ suspendedAt: now }).where(eq(companies.id, admin.companyId));
    expect((await call(endpoint, { params, cookie: admin.cookie })).status).toBe(401);
  });
});

describe.each(protectedEndpoints.filter(([, { privilege }]) => privilege !== null))(
  "%s",
  (_, endpoint) => {
    test("rejects admins without the privilege", async () => {
      const { cookie } = await aSignedInAdmin({ privileges: [] });
      expect(await call(endpoint, { params, cookie, body: {} })).toMatchObject({
        status: 403,
        body: { statusCode: 403, name: "invalid_permission" },
      });
    });
  },
);

describe.each(protectedEndpoints.filter(([, { permission }]) => permission === "operator"))(
  "%s",
  (_, endpoint) => {
    test("rejects owners who are not operators", async () => {
      const cookie = await anOwnerSession();
      expect(await call(endpoint, { params, cookie, body: {} })).toMatchObject({
        status: 403,
        body: { statusCode: 403, name: "invalid_permission" },
      });
    });
  },
);

describe.each(protectedEndpoints.filter(([, { permission }]) => permission !== "console_door"))(
  "%s",
  (_, endpoint) => {
    test("requires the second factor to be set up", async () => {
      const { cookie, companyId } = await aSignedInAdmin({ isOwner: true, isOperator: true });
      await db()
        .update(companies)
        .set({ secondFactorRequired: true })
        .where(eq(companies.id, companyId));
      expect(await call(endpoint, { params, cookie, body: {} })).toMatchObject({
        status: 403,
        body: { name: "second_factor_due" },
      });
    });
  },
);
