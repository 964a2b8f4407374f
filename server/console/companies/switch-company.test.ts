import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { admins, companies, people, sessions } from "#drizzle/schema/index.ts";
import { getMe } from "#server/console/sessions/get-me.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { switchCompany } from "./switch-company.ts";

const LONG_AGO = "2026-01-01 00:00:00+00";

const cookieFrom = (setCookie: string) => setCookie.split(";")[0]!;

/** A person with one admin row in each company, signed in at the first. */
async function aPersonIn(...names: string[]) {
  const email = `${randomUUID()}@example.com`;
  const places = [];
  for (const name of names) {
    const company = await aCompany({ name });
    places.push({ company, admin: await anAdmin(company.id, { email, name: "Ann" }) });
  }
  const cookie = cookieFrom(await startSession(db(), places[0]!.admin.id));
  return { email, places, cookie };
}

const switchTo = (id: string, cookie: string, headers: Record<string, string> = {}) =>
  call(switchCompany, { params: { id }, cookie, headers });

const me = async (cookie: string) => (await call(getMe, { cookie })).body;

test("a person goes on as who they are in their other company", async () => {
  const { email, places, cookie } = await aPersonIn("Alder", "Birch");
  const [, birch] = places;
  expect(await me(cookie)).toMatchObject({
    company: { name: "Alder" },
    companies: [{ name: "Alder" }, { id: birch!.company.id, name: "Birch" }],
  });

  const answered = await switchTo(birch!.company.id, cookie, {
    "user-agent": "Test browser",
    "x-forwarded-for": "192.0.2.7",
  });
  const next = cookieFrom(answered.headers.get("set-cookie")!);
  expect(await me(next)).toMatchObject({ company: { id: birch!.company.id, name: "Birch" } });
  expect((await call(getMe, { cookie })).status).toBe(401);
  expect(await db().select().from(sessions).where(eq(sessions.userId, birch!.admin.id))).toEqual([
    expect.objectContaining({ clientAddress: "192.0.2.7", userAgent: "Test browser" }),
  ]);
  // Where signing in leads next time.
  const [person] = await db().select().from(people).where(eq(people.email, email));
  expect(person!.lastCompanyId).toBe(birch!.company.id);
});

test("nobody stays longer by going to and fro", async () => {
  const { places, cookie } = await aPersonIn("Alder", "Birch");
  const [alder, birch] = places;
  await db()
    .update(companies)
    .set({ sessionHoursMax: 1_000_000 })
    .where(eq(companies.id, alder!.company.id));
  await db()
    .update(sessions)
    .set({ createdAt: LONG_AGO })
    .where(eq(sessions.userId, alder!.admin.id));
  const answered = await switchTo(birch!.company.id, cookie);
  expect(answered.status).toBe(200);
  const next = cookieFrom(answered.headers.get("set-cookie")!);
  expect((await call(getMe, { cookie: next })).status).toBe(401);
});

test("a company of others, one that shut the person out and a suspended one are not there", async () => {
  const { email, places, cookie } = await aPersonIn("Alder", "Shut", "Suspended");
  const [, shut, suspended] = places;
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

test("of two switches at once, one holds and no session is left over", async () => {
  const { places, cookie } = await aPersonIn("Alder", "Birch");
  const [, birch] = places;
  const answers = await Promise.all([
    switchTo(birch!.company.id, cookie),
    switchTo(birch!.company.id, cookie),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);
  const left = await db().select().from(sessions).where(eq(sessions.userId, birch!.admin.id));
  expect(left).toHaveLength(1);
});

test("a page of another site cannot switch", async () => {
  const { places, cookie } = await aPersonIn("Alder", "Birch");
  const headers = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
  const answered = await switchTo(places[1]!.company.id, cookie, headers);
  expect(answered).toMatchObject({ status: 403, body: { name: "cross_origin" } });
});
