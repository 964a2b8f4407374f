import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { admins, companies } from "#drizzle/schema/index.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";
import { anOwnerSession } from "#server/testing/operators.ts";

import { endpoints } from "./registry.ts";

/** Names nothing: every check here comes before anything is looked up. */
const params = {
  id: "01990000-0000-7000-8000-000000000000",
  event_id: "msg_01990000000070008000000000000000",
  email: "nobody@example.com",
  address: "nobody@example.com",
  mailbox: "nobody@example.com",
  position: "0",
  name: "nothing",
};
const named = endpoints.map((each) => [`${each.method} ${each.path}`, each] as const);
const ofAnybody = named.filter(([, { permission }]) => permission === "public");
const ofPeople = named.filter(([, { permission }]) => permission !== "public");
const writes = ofPeople.filter(([, { method }]) => method !== "GET");

async function aPerson(more: Parameters<typeof anAdmin>[1] = {}) {
  const company = await aCompany();
  const { id } = await anAdmin(company.id, more);
  return { id, companyId: company.id, cookie: (await startSession(db(), id)).split(";")[0]! };
}

test("only what leads to a session is open to anybody", () => {
  expect(ofAnybody.map(([name]) => name)).toEqual([
    "POST /console/api/set-up/look",
    "POST /console/api/set-up",
    "POST /console/api/sign-in",
    "POST /console/api/sign-in/second-factor",
    "POST /console/api/sign-in/passkey/options",
    "POST /console/api/sign-in/passkey",
    "POST /console/api/password-reset",
    "POST /console/api/password-reset/check",
    "POST /console/api/password-reset/finish",
    "POST /console/api/invitation/look",
    "POST /console/api/invitation/accept",
  ]);
});

test("before a second factor that is due only one's own profile is open", () => {
  const open = ofPeople.filter(([, { permission }]) => permission === "console_door");
  const others = open.filter(([, { path }]) => !path.startsWith("/console/api/profile"));
  expect(others.map(([name]) => name)).toEqual([
    "POST /console/api/sign-out",
    "GET /console/api/me",
    "POST /console/api/companies/{id}/switch",
  ]);
});

test("what runs the instance is for operators only", () => {
  const isOfOperators = (path: string) => /^\/console\/api\/(operate|checks)(\/|$)/.test(path);
  for (const [name, { permission, path }] of ofPeople)
    expect([name, permission === "operator"]).toEqual([name, isOfOperators(path)]);
});

/** In whose name a page of another site must not sign in, set a password or join. */
const bodies: Record<string, unknown> = {
  "/console/api/set-up": {
    token: "t",
    company_name: "Example",
    owner: { name: "Ann", email: "ann@example.com", password: "x" },
  },
  "/console/api/set-up/look": { token: "t" },
  "/console/api/sign-in": { email: "ann@example.com", password: "x" },
  "/console/api/sign-in/second-factor": { code: "123456" },
  "/console/api/sign-in/passkey/options": undefined,
  "/console/api/sign-in/passkey": {
    response: {
      ...{ id: "aaaa", rawId: "aaaa", type: "public-key" },
      response: { clientDataJSON: "aaaa", authenticatorData: "aaaa", signature: "aaaa" },
    },
  },
  "/console/api/password-reset": { email: "ann@example.com" },
  "/console/api/password-reset/check": { token: "t" },
  "/console/api/password-reset/finish": { token: "t", password: "x" },
  "/console/api/invitation/look": { token: "t" },
  "/console/api/invitation/accept": { token: "t", password: "x" },
};
const FOREIGN: Record<string, string>[] = [
  { "sec-fetch-site": "cross-site", origin: "https://evil.example" },
  { "sec-fetch-site": "same-site", origin: "https://other.example.com" },
  { origin: "null" },
  {},
  { "sec-fetch-site": "same-origin", "content-type": "text/plain" },
];

describe.each(ofAnybody.filter(([, { method }]) => method === "POST"))("%s", (_, endpoint) => {
  test("is refused from a page of another site, and as a form sends it", async () => {
    const body = bodies[endpoint.path];
    for (const headers of FOREIGN)
      expect(await call(endpoint, { headers: { ...headers }, body })).toMatchObject({
        status: 403,
        body: { name: "cross_origin" },
      });
  });
});

describe.each(ofPeople)("%s", (_, endpoint) => {
  test("asks for a session, and for one that is real", async () => {
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

  test("is closed to who is shut out, and in a suspended company", async () => {
    const one = await aPerson({ isOwner: true, isOperator: true });
    const now = new Date().toISOString();

    await db().update(admins).set({ disabledAt: now }).where(eq(admins.id, one.id));
    expect((await call(endpoint, { params, cookie: one.cookie })).status).toBe(401);
    await db().update(admins).set({ disabledAt: null }).where(eq(admins.id, one.id));
    await db().update(companies).set({ suspendedAt: now }).where(eq(companies.id, one.companyId));
    expect((await call(endpoint, { params, cookie: one.cookie })).status).toBe(401);
  });
});

describe.each(writes)("%s", (_, endpoint) => {
  test("is refused from a page of another site, and as a form sends it", async () => {
    const { cookie } = await aPerson({ isOwner: true, isOperator: true });
    for (const headers of FOREIGN)
      expect(
        await call(endpoint, { params, headers: { cookie, ...headers }, body: {} }),
      ).toMatchObject({ status: 403, body: { name: "cross_origin" } });
  });
});

describe.each(ofPeople.filter(([, { privilege }]) => privilege !== null))("%s", (_, endpoint) => {
  test("is refused to an admin who holds no privilege", async () => {
    const { cookie } = await aPerson({ privileges: [] });
    expect(await call(endpoint, { params, cookie, body: {} })).toMatchObject({
      status: 403,
      body: { statusCode: 403, name: "invalid_permission" },
    });
  });
});

describe.each(ofPeople.filter(([, { permission }]) => permission === "operator"))(
  "%s",
  (_, endpoint) => {
    test("is refused to an owner who does not run the instance", async () => {
      const cookie = await anOwnerSession();
      expect(await call(endpoint, { params, cookie, body: {} })).toMatchObject({
        status: 403,
        body: { statusCode: 403, name: "invalid_permission" },
      });
    });
  },
);

describe.each(ofPeople.filter(([, { permission }]) => permission !== "console_door"))(
  "%s",
  (_, endpoint) => {
    test("waits until a second factor that is due is set up", async () => {
      const { cookie, companyId } = await aPerson({ isOwner: true, isOperator: true });
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
