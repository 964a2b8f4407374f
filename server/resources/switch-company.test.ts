import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { admins, companies, people, sessions } from "#drizzle/schema/index.ts";
import { sessionsConsole } from "./sessions.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { companySwitchConsole } from "./company-switch.ts";

const LONG_AGO = "2026-01-01 00:00:00+00";

const cookieFrom = (setCookie: string) => setCookie.split(";")[0]!;

/** An admin of several companies, signed in to the first. */
async function anAdminOf(...names: string[]) {
  const email = `${randomUUID()}@example.com`;
  const memberships = [];
  for (const name of names) {
    const company = await aCompany({ name });
    memberships.push({ company, admin: await anAdmin(company.id, { email, name: "Ann" }) });
  }
  const cookie = cookieFrom(await startSession(db(), memberships[0]!.admin.id));
  return { email, memberships, cookie };
}

const switchTo = (id: string, cookie: string, headers: Record<string, string> = {}) =>
  call(companySwitchConsole.switchCompany, { params: { id }, cookie, headers });

const me = async (cookie: string) => (await call(sessionsConsole.getMe, { cookie })).body;

test("an admin can switch to another company", async () => {
  const { email, memberships, cookie } = await anAdminOf("Alder", "Birch");
  const [, birch] = memberships;
  expect(await me(cookie)).toMatchObject({
    company: { name: "Alder" },
    companies: [{ name: "Alder" }, { id: birch!.company.id, name: "Birch" }],
  });

  const response = await switchTo(birch!.company.id, cookie, {
    "user-agent": "Test browser",
    "x-forwarded-for": "192.0.2.7",
  });
  const next = cookieFrom(response.headers.get("set-cookie")!);
  expect(await me(next)).toMatchObject({ company: { id: birch!.company.id, name: "Birch" } });
  expect((await call(sessionsConsole.getMe, { cookie })).status).toBe(401);
  expect(await db().select().from(sessions).where(eq(sessions.userId, birch!.admin.id))).toEqual([
    expect.objectContaining({ clientAddress: "192.0.2.7", userAgent: "Test browser" }),
  ]);
  // The next sign-in opens this company.
  const [person] = await db().select().from(people).where(eq(people.email, email));
  expect(person!.lastCompanyId).toBe(birch!.company.id);
});

test("switching companies doesn't extend the session", async () => {
  const { memberships, cookie } = await anAdminOf("Alder", "Birch");
  const [alder, birch] = memberships;
  await db()
    .update(companies)
    .set({ sessionHoursMax: 1_000_000 })
    .where(eq(companies.id, alder!.company.id));
  await db()
    .update(sessions)
    .set({ createdAt: LONG_AGO })
    .where(eq(sessions.userId, alder!.admin.id));
  const response = await switchTo(birch!.company.id, cookie);
  expect(response.status).toBe(200);
  const next = cookieFrom(response.headers.get("set-cookie")!);
  expect((await call(sessionsConsole.getMe, { cookie: next })).status).toBe(401);
});

test("foreign, suspended and access-revoked companies are not found", async () => {
  const { email, memberships, cookie } = await anAdminOf("Alder", "Shut", "Suspended");
  const [, shut, suspended] = memberships;
  const foreign = await aCompany({ name: "Foreign" });
  await anAdmin(foreign.id);
  const now = new Date().toISOString();
  await db().update(admins).set({ disabledAt: now }).where(eq(admins.id, shut!.admin.id));
  await db()
    .update(companies)
    .set({ suspendedAt: now })
    .where(eq(companies.id, suspended!.company.id));

  for (const id of [foreign.id, shut!.company.id, suspended!.company.id, randomUUID(), "x"])
    expect(await switchTo(id, cookie)).toMatchObject({
      status: 404,
      body: { message: "Company not found" },
    });
  expect(await me(cookie)).toMatchObject({ email, companies: [{ name: "Alder" }] });
});

test("of two concurrent switches one succeeds and no extra session remains", async () => {
  const { memberships, cookie } = await anAdminOf("Alder", "Birch");
  const [, birch] = memberships;
  const responses = await Promise.all([
    switchTo(birch!.company.id, cookie),
    switchTo(birch!.company.id, cookie),
  ]);
  expect(responses.map(({ status }) => status).sort()).toEqual([200, 401]);
  const left = await db().select().from(sessions).where(eq(sessions.userId, birch!.admin.id));
  expect(left).toHaveLength(1);
});

test("cross-site requests can't switch companies", async () => {
  const { memberships, cookie } = await anAdminOf("Alder", "Birch");
  const headers = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
  const response = await switchTo(memberships[1]!.company.id, cookie, headers);
  expect(response).toMatchObject({ status: 403, body: { name: "cross_origin" } });
});
