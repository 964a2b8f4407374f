import { hash } from "@node-rs/argon2";
import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import {
  admins,
  auditEntries,
  companies,
  people,
  signInAttempts,
  signInSteps,
} from "#drizzle/schema/index.ts";
import { CODES_PER_DAY_MAX } from "#server/core/access/sign-in/throttle.ts";
import { db } from "#server/db/pool.ts";
import { aPasskeyOf, aTotp, middleOfStep, totpCode } from "#server/testing/a-second-factor.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { sessionsConsole } from "./sessions.ts";

const PASSWORD = "correct horse battery";
const passwordHash = hash(PASSWORD, { memoryCost: 1024, timeCost: 1 });

// No time step ends during a test.
beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: middleOfStep() }));
afterEach(() => void vi.useRealTimers());

let addresses = 0;
const newAddress = () => `198.51.100.${(addresses += 1)}`;
const own = { "sec-fetch-site": "same-origin" };

async function aPerson() {
  const company = await aCompany();
  const admin = await anAdmin(company.id, { passwordHash: await passwordHash });
  return { ...admin, company };
}

const cookies = (answered: { headers: Headers }) =>
  answered.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";")[0]!)
    .filter((cookie) => !cookie.endsWith("="));

async function firstStep(email: string, address = newAddress()) {
  const headers = { ...own, "x-forwarded-for": address };
  const answered = await call(sessionsConsole.signIn, {
    body: { email, password: PASSWORD },
    headers,
  });
  return { answered, step: cookies(answered)[0] ?? "", address };
}

const show = (step: string, body: object, address = newAddress()) =>
  call(sessionsConsole.secondFactor, {
    body,
    headers: { ...own, cookie: step, "x-forwarded-for": address },
  });

test("starts a session only after a one-time code from the app", async () => {
  const { email } = await aPerson();
  const { secret } = await aTotp(email);
  const { answered, step } = await firstStep(email);
  expect(answered.body).toEqual({
    signedIn: false,
    secondFactor: { totp: true, recoveryCode: true, passkey: null },
  });
  const set = answered.headers.getSetCookie();
  expect(set).toHaveLength(1);
  expect(set[0]).toMatch(/^posthouse_step=.*HttpOnly.*SameSite=Strict/);
  expect((await call(sessionsConsole.getMe, { cookie: step })).status).toBe(401);

  const code = totpCode(secret);
  const second = await show(step, { code });
  expect(second.status).toBe(200);
  const [session] = cookies(second);
  expect((await call(sessionsConsole.getMe, { cookie: session! })).body).toMatchObject({ email });

  // Neither the step nor the code can be used again.
  expect((await show(step, { code: totpCode(secret, { steps: 1 }) })).status).toBe(401);
  const again = await firstStep(email);
  expect(await show(again.step, { code })).toMatchObject({
    status: 401,
    body: { name: "wrong_credentials" },
  });
});

test("accepts clocks that are one step off, but no more", async () => {
  const { email } = await aPerson();
  const { secret } = await aTotp(email);
  for (const [steps, status] of [
    [-2, 401],
    [2, 401],
    [-1, 200],
    [1, 200],
  ] as const)
    expect(
      (await show((await firstStep(email)).step, { code: totpCode(secret, { steps }) })).status,
    ).toBe(status);
});

test("accepts one of two concurrent correct codes", async () => {
  const { email } = await aPerson();
  const { secret, recoveryCodes } = await aTotp(email);
  const { step } = await firstStep(email);
  const answers = await Promise.all([
    show(step, { code: totpCode(secret) }),
    show(step, { recoveryCode: recoveryCodes[0] }),
  ]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 401]);

  const [first, second] = [await firstStep(email), await firstStep(email)];
  const same = totpCode(secret, { steps: 1 });
  const both = await Promise.all([first, second].map(({ step }) => show(step, { code: same })));
  expect(both.map(({ status }) => status).sort()).toEqual([200, 401]);
});

test("a recovery code works once, in any notation, and only for its admin", async () => {
  const { email } = await aPerson();
  const { recoveryCodes } = await aTotp(email);
  const other = await aTotp((await aPerson()).email);
  const [code] = recoveryCodes;
  const written = ` ${code!.toUpperCase().replaceAll("-", " ")}`;
  expect((await show((await firstStep(email)).step, { recoveryCode: written })).status).toBe(200);
  const { step } = await firstStep(email);
  expect((await show(step, { recoveryCode: code })).status).toBe(401);
  expect((await show(step, { recoveryCode: other.recoveryCodes[0] })).status).toBe(401);
  expect((await show(step, { recoveryCode: recoveryCodes[1] })).status).toBe(200);
});

test("five wrong codes end the step, even when concurrent", async () => {
  const { email } = await aPerson();
  const { secret } = await aTotp(email);
  const { step } = await firstStep(email);
  const answers = await Promise.all(
    Array.from({ length: 12 }, (_, n) => show(step, { code: `00000${n % 10}` })),
  );
  const reasons = answers.map(({ body }) => (body as { name: string }).name);
  expect(reasons.filter((name) => name === "wrong_credentials")).toHaveLength(5);
  expect(reasons.filter((name) => name === "not_signed_in")).toHaveLength(7);
  expect((await show(step, { code: totpCode(secret) })).body).toMatchObject({
    name: "not_signed_in",
    message: "This sign-in attempt has expired. Sign in again",
  });
});

test("throttles code guesses like passwords, across steps", async () => {
  const { email } = await aPerson();
  await aTotp(email);
  const address = newAddress();
  const reasons = [];
  for (let round = 0; round < 3; round++) {
    const { step } = await firstStep(email, address);
    for (let n = 0; n < 5; n++)
      reasons.push(((await show(step, { code: "000000" }, address)).body as { name: string }).name);
  }
  expect(reasons.filter((name) => name === "wrong_credentials")).toHaveLength(10);
});

test("limits unknown networks to thirty wrong codes a day, but not known networks or recovery codes", async () => {
  const { email } = await aPerson();
  const { secret, recoveryCodes } = await aTotp(email);
  const home = newAddress();
  const known = await show((await firstStep(email, home)).step, { code: totpCode(secret) }, home);
  expect(known.status).toBe(200);
  const age = sql`clock_timestamp() - interval '20 minutes'`;
  for (let n = 0; n < CODES_PER_DAY_MAX; n++) {
    const { step, address } = await firstStep(email);
    expect((await show(step, { code: "000000" }, address)).status).toBe(401);
    await db().update(signInAttempts).set({ createdAt: age });
  }
  const { step, address } = await firstStep(email);
  expect(await show(step, { code: "000000" }, address)).toMatchObject({
    status: 429,
    body: { message: expect.stringContaining("recovery code") as string },
  });
  expect((await show(step, { recoveryCode: recoveryCodes[0] }, address)).status).toBe(200);
  const again = await firstStep(email, home);
  const next = totpCode(secret, { steps: 1 });
  expect((await show(again.step, { code: next }, home)).status).toBe(200);
});

test("rejects another admin's step, an expired step and no step", async () => {
  const { email } = await aPerson();
  const { secret } = await aTotp(email);
  const other = await aPerson();
  await aTotp(other.email);
  const theirs = await firstStep(other.email);
  expect((await show(theirs.step, { code: totpCode(secret) })).status).toBe(401);
  expect((await show("", { code: totpCode(secret) })).status).toBe(401);

  const { step } = await firstStep(email);
  await db()
    .update(signInSteps)
    .set({ expiresAt: "2026-01-01 00:00:00+00" })
    .where(eq(signInSteps.email, email));
  expect((await show(step, { code: totpCode(secret) })).status).toBe(401);
});

test("rejects admins who are disabled between the two steps", async () => {
  const { email, id } = await aPerson();
  const { secret } = await aTotp(email);
  const { step } = await firstStep(email);
  await db().update(admins).set({ disabledAt: new Date().toISOString() }).where(eq(admins.id, id));
  expect((await show(step, { code: totpCode(secret) })).status).toBe(401);
});

test("a wrong password doesn't reveal second factors", async () => {
  const { email } = await aPerson();
  await aTotp(email);
  const answered = await call(sessionsConsole.signIn, {
    body: { email, password: "wrong horse battery" },
    headers: { ...own, "x-forwarded-for": newAddress() },
  });
  expect(answered).toMatchObject({
    status: 401,
    body: { message: "The email address or password is incorrect" },
  });
  expect(answered.headers.getSetCookie()).toEqual([]);
});

test("returns a challenge to admins with a passkey", async () => {
  const { email } = await aPerson();
  const id = await aPasskeyOf(email);
  const { answered } = await firstStep(email);
  expect(answered.body).toMatchObject({
    secondFactor: {
      totp: false,
      recoveryCode: false,
      passkey: { rpId: "localhost", allowCredentials: [{ id }] },
    },
  });
});

test("audits sign-ins, and repeated failures once", async () => {
  const { email, company } = await aPerson();
  const { secret } = await aTotp(email);
  const { step, address } = await firstStep(email);
  await show(step, { code: "000000" }, address);
  const entries = () =>
    db().select().from(auditEntries).where(eq(auditEntries.companyId, company.id));
  await expect.poll(entries).toHaveLength(1);
  await show(step, { code: "000000" }, address);
  await show(step, { code: totpCode(secret) }, address);
  expect(await entries()).toMatchObject([
    {
      action: "sign_in.refused",
      actor: "system",
      details: { email, by: "authenticator_app", client_address: address },
    },
    {
      action: "session.started",
      actor: email,
      actorKind: "admin",
      details: { by: "password and authenticator_app", client_address: address },
    },
  ]);
});

test("signs in to the last used company, skipping suspended ones", async () => {
  const [alder, birch, cedar] = [
    await aCompany({ name: "Alder" }),
    await aCompany({ name: "Birch" }),
    await aCompany({ name: "Cedar" }),
  ];
  const { email } = await anAdmin(alder.id, { passwordHash: await passwordHash });
  await anAdmin(birch.id, { email });
  await anAdmin(cedar.id, { email });
  const landsIn = async () => {
    const { answered } = await firstStep(email);
    const me = await call(sessionsConsole.getMe, { cookie: cookies(answered)[0]! });
    return (me.body as { company: { name: string } }).company.name;
  };
  expect(await landsIn()).toBe("Alder");
  await db().update(people).set({ lastCompanyId: cedar.id }).where(eq(people.email, email));
  expect(await landsIn()).toBe("Cedar");
  await db()
    .update(companies)
    .set({ suspendedAt: new Date().toISOString() })
    .where(eq(companies.id, cedar.id));
  expect(await landsIn()).toBe("Alder");
});

test("requires exactly one factor", async () => {
  const { email } = await aPerson();
  await aTotp(email);
  const { step } = await firstStep(email);
  for (const body of [{}, { code: "123456", recoveryCode: "x" }])
    expect((await show(step, body)).status).toBe(422);
});
