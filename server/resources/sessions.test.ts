import { randomUUID } from "node:crypto";

import { hash } from "@node-rs/argon2";
import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { admins, companies, people, sessions } from "#drizzle/schema/index.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import {
  ATTEMPTS_PER_ACCOUNT_MAX,
  ATTEMPTS_PER_SOURCE_MAX,
} from "#server/core/access/sign-in/throttle.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { sessionsConsole } from "./sessions.ts";

const PASSWORD = "correct horse battery";
const passwordHash = hash(PASSWORD, { memoryCost: 1024, timeCost: 1 });

let addresses = 0;
/** An address that no other test signs in from. */
const newAddress = () => `192.0.2.${(addresses += 1)}`;

async function aPerson(overrides: Parameters<typeof anAdmin>[1] = {}) {
  const company = await aCompany();
  return anAdmin(company.id, { passwordHash: await passwordHash, name: "Ann", ...overrides });
}

function trySignIn(
  email: string,
  { password = PASSWORD, address = newAddress(), headers = {} } = {},
) {
  return call(sessionsConsole.signIn, {
    body: { email, password },
    headers: { "sec-fetch-site": "same-origin", "x-forwarded-for": address, ...headers },
  });
}

const cookieOf = (answered: { headers: Headers }) =>
  answered.headers.get("set-cookie")!.split(";")[0]!;

test("the right password starts a session", async () => {
  const person = await aPerson();
  const answered = await trySignIn(` ${person.email.toUpperCase()} `);
  expect(answered.status).toBe(200);
  expect(answered.headers.get("set-cookie")).toMatch(/HttpOnly/);

  const me = await call(sessionsConsole.getMe, { cookie: cookieOf(answered) });
  expect(me.body).toMatchObject({ name: "Ann", email: person.email, isOwner: false });
});

test("wrong passwords, unknown addresses and disabled admins get the same response", async () => {
  const person = await aPerson();
  const off = await aPerson({ disabledAt: new Date().toISOString() });
  const without = await aPerson({ passwordHash: null });
  const answers = await Promise.all([
    trySignIn(person.email, { password: "wrong horse battery" }),
    trySignIn(`${randomUUID()}@example.com`),
    trySignIn(off.email),
    trySignIn(without.email),
  ]);
  for (const answered of answers) {
    expect(answered.status).toBe(401);
    expect(answered.body).toEqual(answers[0].body);
    expect(answered.headers.get("set-cookie")).toBeNull();
  }
  expect(answers[0].body).toMatchObject({ name: "wrong_credentials" });
});

test("signing in ends the browser's previous session", async () => {
  const person = await aPerson();
  const first = cookieOf(await trySignIn(person.email));
  const second = cookieOf(await trySignIn(person.email, { headers: { cookie: first } }));
  expect(second).not.toBe(first);
  expect((await call(sessionsConsole.getMe, { cookie: first })).status).toBe(401);
  expect((await call(sessionsConsole.getMe, { cookie: second })).status).toBe(200);
});

test("signing out ends the session", async () => {
  const person = await aPerson();
  const cookie = cookieOf(await trySignIn(person.email));
  expect((await call(sessionsConsole.signOut, { cookie })).status).toBe(200);
  expect((await call(sessionsConsole.getMe, { cookie })).status).toBe(401);
});

test("throttles guesses at one admin, even when concurrent and from many addresses", async () => {
  const person = await aPerson();
  const guesses = Array.from({ length: ATTEMPTS_PER_ACCOUNT_MAX + 10 }, () =>
    trySignIn(person.email, { password: "wrong horse battery" }),
  );
  const statuses = (await Promise.all(guesses)).map(({ status }) => status);
  expect(statuses.filter((status) => status === 401).length).toBeLessThanOrEqual(
    ATTEMPTS_PER_ACCOUNT_MAX,
  );

  const rest = ATTEMPTS_PER_ACCOUNT_MAX - statuses.filter((status) => status === 401).length;
  for (let i = 0; i < rest; i++) await trySignIn(person.email, { password: "wrong" });
  const right = await trySignIn(person.email);
  expect(right).toMatchObject({
    status: 429,
    body: {
      name: "rate_limit_exceeded",
      message: expect.stringMatching(
        /^Too many sign-in attempts\. Try again in \d+ minutes$/,
      ) as string,
    },
  });
  expect(Number(right.headers.get("retry-after"))).toBeGreaterThan(600);
});

test("throttles guesses from one address or IPv6 /64, for any admin", async () => {
  const guess = (host: number) =>
    trySignIn(`${randomUUID()}@example.com`, { address: `2001:db8:0:1::${host.toString(16)}` });
  for (let i = 1; i <= ATTEMPTS_PER_SOURCE_MAX; i++) expect((await guess(i)).status).toBe(401);
  expect((await guess(0xffff)).status).toBe(429);

  const elsewhere = await trySignIn((await aPerson()).email, { address: "2001:db8:0:2::1" });
  expect(elsewhere.status).toBe(200);
});

test("successful sign-ins don't count towards the limit", async () => {
  const person = await aPerson();
  const address = newAddress();
  for (let i = 0; i <= ATTEMPTS_PER_ACCOUNT_MAX; i++)
    expect((await trySignIn(person.email, { address })).status).toBe(200);
});

test("rejects cross-site sign-ins and sign-outs", async () => {
  const person = await aPerson();
  const headers = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
  const foreign = await trySignIn(person.email, { headers });
  expect(foreign).toMatchObject({ status: 403, body: { name: "cross_origin" } });

  const cookie = cookieOf(await trySignIn(person.email));
  const out = await call(sessionsConsole.signOut, { cookie, headers });
  expect(out).toMatchObject({ status: 403, body: { name: "cross_origin" } });
  expect((await call(sessionsConsole.getMe, { cookie })).status).toBe(200);
});

describe("switching to another company", () => {
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
    call(sessionsConsole.switchCompany, { params: { id }, cookie, headers });

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
});
