import { hash } from "@node-rs/argon2";
import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { admins, auditEntries, companies, sessions } from "#drizzle/schema/index.ts";
import { sessionsConsole } from "./sessions.ts";
import { ATTEMPTS_PER_ACCOUNT_AND_SOURCE_MAX } from "#server/core/access/sign-in/throttle.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aTotp } from "#server/testing/a-second-factor.ts";
import { call } from "#server/testing/call.ts";
import { distinctGuesses } from "#server/testing/distinct-guesses.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { profileConsole } from "./profile.ts";

const OLD = "correct horse battery";
const NEW = "staple thunder lantern";
const passwordHash = hash(OLD, { memoryCost: 1024, timeCost: 1 });
const cookieOf = (setCookie: string) => setCookie.split(";")[0]!;

async function aSignedInAdmin() {
  const company = await aCompany({ name: "Alder" });
  const other = await aCompany({ name: "Birch" });
  const admin = await anAdmin(company.id, { passwordHash: await passwordHash, name: "Ann" });
  const { id: otherId } = await anAdmin(other.id, { email: admin.email, name: "A. Lee" });
  const cookie = cookieOf(await startSession(db(), admin.id));
  return { ...admin, company, other, otherId, cookie };
}

type Listed = { data: { id: string; isThisOne: boolean; lastUsedAt: string | null }[] };
const listed = async (cookie: string) =>
  ((await call(profileConsole.listOwnSessions, { cookie })).body as Listed).data;

test("returns an admin's name, second factors, and companies", async () => {
  const { email, company, other, cookie } = await aSignedInAdmin();
  await aTotp(email);
  expect((await call(profileConsole.get, { cookie })).body).toEqual({
    email,
    name: "Ann",
    secondFactor: {
      totp: true,
      passkeys: [],
      recoveryCodesLeft: 10,
      isRequired: false,
      passkeysPossible: true,
    },
    companies: [
      { id: company.id, name: "Alder", isThisOne: true },
      { id: other.id, name: "Birch", isThisOne: false },
    ],
  });
  await db()
    .update(companies)
    .set({ secondFactorRequired: true })
    .where(eq(companies.id, other.id));
  expect((await call(profileConsole.get, { cookie })).body).toMatchObject({
    secondFactor: { isRequired: true },
  });
});

test("renames the admin in every company and records it in each audit log", async () => {
  const { id, otherId, other, cookie } = await aSignedInAdmin();
  expect((await call(profileConsole.update, { cookie, body: { name: " Ann Lee " } })).status).toBe(
    200,
  );
  expect((await call(profileConsole.update, { cookie, body: { name: "Ann\nLee" } })).status).toBe(
    422,
  );
  for (const admin of [id, otherId])
    expect(await db().select().from(admins).where(eq(admins.id, admin))).toMatchObject([
      { name: "Ann Lee" },
    ]);
  expect(
    await db().select().from(auditEntries).where(eq(auditEntries.companyId, other.id)),
  ).toMatchObject([
    { action: "admin.updated", details: { changed: { name: { from: "A. Lee", to: "Ann Lee" } } } },
  ]);
});

test("changing the password ends all other sessions and renews the current one", async () => {
  const { email, otherId, cookie } = await aSignedInAdmin();
  const elsewhere = cookieOf(await startSession(db(), otherId));
  const change = (current: string, password = NEW) =>
    call(profileConsole.changePassword, { cookie, body: { currentPassword: current, password } });
  expect((await change("wrong horse battery")).body).toMatchObject({
    message: "current_password: is incorrect",
  });
  expect((await change(OLD, "short")).body).toMatchObject({
    message: "password: must have at least 12 characters",
  });
  expect((await change(OLD, OLD)).status).toBe(422);
  const changed = await change(OLD);
  expect(changed.status).toBe(200);
  for (const old of [cookie, elsewhere])
    expect((await call(sessionsConsole.getMe, { cookie: old })).status).toBe(401);
  const now = cookieOf(changed.headers.getSetCookie()[0]!);
  expect((await call(sessionsConsole.getMe, { cookie: now })).body).toMatchObject({ email });
  expect(await listed(now)).toHaveLength(1);

  const headers = { "sec-fetch-site": "same-origin", "x-forwarded-for": "192.0.2.9" };
  const attempt = (password: string) =>
    call(sessionsConsole.signIn, { body: { email, password }, headers });
  expect((await attempt(OLD)).status).toBe(401);
  expect((await attempt(NEW)).status).toBe(200);
});

test("limits password guesses like the sign-in page does", async () => {
  const { cookie, email } = await aSignedInAdmin();
  const statuses = [];
  for (const guess of distinctGuesses(email, ATTEMPTS_PER_ACCOUNT_AND_SOURCE_MAX + 1, OLD))
    statuses.push(
      (
        await call(profileConsole.changePassword, {
          cookie,
          body: { currentPassword: guess, password: NEW },
          headers: { "x-forwarded-for": "192.0.2.77" },
        })
      ).status,
    );
  expect(new Set(statuses.slice(0, -1))).toEqual(new Set([422]));
  expect(statuses.at(-1)).toBe(429);
});

test("lists sessions without revealing their tokens, and ends them", async () => {
  const { id, otherId, cookie } = await aSignedInAdmin();
  const elsewhere = cookieOf(
    await startSession(db(), otherId, { clientAddress: "192.0.2.7", userAgent: "Browser" }),
  );
  const [other, current] = await listed(cookie);
  expect(other).toMatchObject({
    company: "Birch",
    clientAddress: "192.0.2.7",
    userAgent: "Browser",
    isThisOne: false,
  });
  expect(current).toMatchObject({ company: "Alder", isThisOne: true });
  for (const session of [other, current]) expect(session!.lastUsedAt).not.toBeNull();
  expect(cookie + elsewhere).not.toContain(other!.id);

  const stranger = await aSignedInAdmin();
  const end = (cookie: string, name: string) =>
    call(profileConsole.endOwnSession, { cookie, params: { id: name } });
  expect((await end(stranger.cookie, other!.id)).status).toBe(404);
  expect((await end(cookie, "nonsense")).status).toBe(404);
  expect((await end(cookie, other!.id)).status).toBe(200);
  expect((await call(sessionsConsole.getMe, { cookie: elsewhere })).status).toBe(401);

  await startSession(db(), id);
  await startSession(db(), otherId);
  expect((await call(profileConsole.endOwnOtherSessions, { cookie })).body).toEqual({ ended: 2 });
  expect(await listed(cookie)).toMatchObject([{ isThisOne: true }]);
  expect((await call(sessionsConsole.getMe, { cookie: stranger.cookie })).status).toBe(200);
});

test("updates a session's last use at most once a minute", async () => {
  const { id, cookie } = await aSignedInAdmin();
  const used = async () =>
    (await db().select().from(sessions).where(eq(sessions.userId, id)))[0]!.lastUsedAt;
  await call(sessionsConsole.getMe, { cookie });
  const at = await used();
  await call(sessionsConsole.getMe, { cookie });
  expect(await used()).toBe(at);
  await db()
    .update(sessions)
    .set({ lastUsedAt: sql`clock_timestamp() - interval '61 seconds'` })
    .where(eq(sessions.userId, id));
  const before = await used();
  await call(sessionsConsole.getMe, { cookie });
  expect(await used()).not.toBe(before);
});

test("stays available until a required second factor is set up", async () => {
  const { company, cookie } = await aSignedInAdmin();
  await db()
    .update(companies)
    .set({ secondFactorRequired: true })
    .where(eq(companies.id, company.id));
  for (const endpoint of [profileConsole.get, profileConsole.listOwnSessions])
    expect((await call(endpoint, { cookie })).status).toBe(200);
  expect((await call(profileConsole.update, { cookie, body: { name: "Ann Lee" } })).status).toBe(
    200,
  );
});
