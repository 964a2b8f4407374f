import { hash } from "@node-rs/argon2";
import { eq } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { auditEntries, companies, passkeys, recoveryCodes } from "#drizzle/schema/index.ts";
import { secondFactorsConsole } from "#server/resources/profile.ts";
import { getFactors, personAccount } from "#server/core/access/second-factors/factors.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aTotp, middleOfStep, totpCode } from "#server/testing/a-second-factor.ts";
import { anAuthenticator } from "#server/testing/an-authenticator.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { profileConsole } from "./profile.ts";
import { sessionsConsole } from "./sessions.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: middleOfStep() }));

afterEach(() => void vi.useRealTimers());

const PASSWORD = "correct horse battery";
const passwordHash = hash(PASSWORD, { memoryCost: 1024, timeCost: 1 });
const own = { "sec-fetch-site": "same-origin" };
const shown = { currentPassword: PASSWORD };

async function aPerson({ isRequired = false } = {}) {
  const company = await aCompany({ secondFactorRequired: isRequired });
  const { id, email } = await anAdmin(company.id, { passwordHash: await passwordHash });
  return { email, company, cookie: first(await startSession(db(), id)) };
}

const first = (setCookie: string) => setCookie.split(";")[0]!;
const cookieOf = ({ headers }: { headers: Headers }) => first(headers.getSetCookie()[0]!);

const factors = async (cookie: string) =>
  ((await call(profileConsole.get, { cookie })).body as { secondFactor: object }).secondFactor;

const actions = async (companyId: string) =>
  (await db().select().from(auditEntries).where(eq(auditEntries.companyId, companyId))).map(
    ({ action }) => action,
  );

async function addTotp(cookie: string) {
  const started = await call(secondFactorsConsole.startTotp, { cookie, body: shown });
  const { secret } = started.body as { secret: string };
  const done = await call(secondFactorsConsole.confirmTotp, {
    cookie,
    body: { code: totpCode(secret) },
  });
  const { recoveryCodes: codes } = done.body as { recoveryCodes: string[] | null };
  return { done, secret, codes, cookie: cookieOf(done) };
}

async function addPasskey(cookie: string, { name = "Laptop" } = {}) {
  const key = anAuthenticator();
  const started = await call(secondFactorsConsole.startPasskey, { cookie, body: shown });
  const { options } = started.body as { options: { challenge: string } };
  const body = { name, response: key.create(options) };
  const done = await call(secondFactorsConsole.finishPasskey, { cookie, body });
  return { key, done, options, cookie: cookieOf(done) };
}

test("confirming an authenticator app returns recovery codes and renews the session", async () => {
  const { email, company, cookie } = await aPerson({ isRequired: true });
  expect((await call(sessionsConsole.getMe, { cookie })).body).toMatchObject({
    secondFactorDue: true,
  });
  expect(
    (await call(secondFactorsConsole.startTotp, { cookie, body: { currentPassword: "x" } })).body,
  ).toMatchObject({
    message: "current_password: is incorrect",
  });
  const started = await call(secondFactorsConsole.startTotp, { cookie, body: shown });
  expect(started.body).toMatchObject({
    url: expect.stringContaining(
      `otpauth://totp/Posthouse:${encodeURIComponent(email)}?`,
    ) as string,
  });
  expect(await factors(cookie)).toMatchObject({ totp: false, recoveryCodesLeft: 0 });
  expect(
    (await call(secondFactorsConsole.confirmTotp, { cookie, body: { code: "000000" } })).body,
  ).toMatchObject({
    message: "code: is incorrect",
  });

  const { secret } = started.body as { secret: string };
  const done = await call(secondFactorsConsole.confirmTotp, {
    cookie,
    body: { code: totpCode(secret) },
  });
  const { recoveryCodes: codes } = done.body as { recoveryCodes: string[] };
  expect(new Set(codes).size).toBe(10);
  for (const code of codes) expect(code).toMatch(/^([a-z2-9]{4}-){3}[a-z2-9]{4}$/);
  expect((await call(sessionsConsole.getMe, { cookie })).status).toBe(401);
  expect((await call(sessionsConsole.getMe, { cookie: cookieOf(done) })).body).toMatchObject({
    secondFactorDue: false,
  });
  expect(await factors(cookieOf(done))).toMatchObject({ totp: true, recoveryCodesLeft: 10 });
  expect(await actions(company.id)).toEqual(["second_factor.totp_added"]);

  // The code used for confirmation can't be used to sign in.
  const headers = { ...own };
  const step = cookieOf(
    await call(sessionsConsole.signIn, { body: { email, password: PASSWORD }, headers }),
  );
  const body = { code: totpCode(secret) };
  expect(
    (await call(sessionsConsole.secondFactor, { body, headers: { ...own, cookie: step } })).status,
  ).toBe(401);
});

test("turning on a second factor ends the admin's other sessions", async () => {
  const { email, cookie } = await aPerson();
  const credentials = { email, password: PASSWORD };
  const other = cookieOf(
    await call(sessionsConsole.signIn, { body: credentials, headers: { ...own } }),
  );
  expect((await call(sessionsConsole.getMe, { cookie: other })).status).toBe(200);
  const { done } = await addPasskey(cookie);
  expect((await call(sessionsConsole.getMe, { cookie: other })).status).toBe(401);
  expect((await call(sessionsConsole.getMe, { cookie: cookieOf(done) })).status).toBe(200);
});

test("setup ends after five wrong codes and is bound to its session", async () => {
  const { cookie } = await aPerson();
  const other = await aPerson();
  const started = await call(secondFactorsConsole.startTotp, { cookie, body: shown });
  const { secret } = started.body as { secret: string };
  const right = { code: totpCode(secret) };
  expect(
    (await call(secondFactorsConsole.confirmTotp, { cookie: other.cookie, body: right })).status,
  ).toBe(403);
  for (let n = 0; n < 5; n++)
    expect(
      (await call(secondFactorsConsole.confirmTotp, { cookie, body: { code: "000000" } })).status,
    ).toBe(422);
  expect(
    (await call(secondFactorsConsole.confirmTotp, { cookie, body: right })).body,
  ).toMatchObject({
    message: "This setup has expired. Start again",
  });
});

test("a passkey signs in without a password, and each assertion works once", async () => {
  const { email, company, cookie } = await aPerson({ isRequired: true });
  const { key, done } = await addPasskey(cookie);
  expect((done.body as { recoveryCodes: string[] }).recoveryCodes).toHaveLength(10);

  const asked = await call(sessionsConsole.passkeyOptions, { headers: own });
  const { options } = asked.body as { options: { challenge: string; userVerification: string } };
  expect(options).toMatchObject({ userVerification: "required" });
  const headers = { ...own, cookie: cookieOf(asked) };
  const body = { response: key.get(options) };
  const answers = [
    await call(sessionsConsole.passkeySignIn, { headers, body }),
    await call(sessionsConsole.passkeySignIn, { headers, body: { response: key.get(options) } }),
  ];
  expect(answers.map(({ status }) => status)).toEqual([200, 401]);
  const me = await call(sessionsConsole.getMe, { cookie: cookieOf(answers[0]!) });
  expect(me.body).toMatchObject({ email, secondFactorDue: false });
  expect(await actions(company.id)).toContain("session.started");
});

test("rejects passkeys from another origin, without user verification, or with a decreased counter", async () => {
  const { cookie } = await aPerson();
  const { key } = await addPasskey(cookie);
  const attempt = async (conditions: Parameters<typeof key.get>[1], other?: typeof key) => {
    const asked = await call(sessionsConsole.passkeyOptions, { headers: own });
    const { options } = asked.body as { options: { challenge: string } };
    const response = (other ?? key).get(options, conditions);
    const headers = { ...own, cookie: cookieOf(asked) };
    return (await call(sessionsConsole.passkeySignIn, { headers, body: { response } })).status;
  };
  expect(await attempt({ origin: "https://evil.example", counter: 5 })).toBe(401);
  expect(await attempt({ verifies: false, counter: 5 })).toBe(401);
  expect(await attempt({ counter: 5 }, anAuthenticator())).toBe(401);
  expect(await attempt({ counter: 5 })).toBe(200);
  expect(await attempt({ counter: 4 })).toBe(401);
  // An old or modified cookie matches no challenge.
  const response = key.get({ challenge: "AAAA" }, { counter: 6 });
  for (const cookie of ["posthouse_step=x", "posthouse_step=v1.AAAA"])
    expect(
      (
        await call(sessionsConsole.passkeySignIn, {
          headers: { ...own, cookie },
          body: { response },
        })
      ).status,
    ).toBe(401);
});

test("a passkey works as second factor for its own admin only", async () => {
  const { email, cookie } = await aPerson();
  const { key } = await addPasskey(cookie);
  const other = await aPerson();
  const theirs = await addPasskey(other.cookie);
  const begin = async () => {
    const begun = await call(sessionsConsole.signIn, {
      body: { email, password: PASSWORD },
      headers: own,
    });
    const { secondFactor: asked } = begun.body as {
      secondFactor: { passkey: { challenge: string } };
    };
    return { challenge: asked.passkey, headers: { ...own, cookie: cookieOf(begun) } };
  };
  const wrong = await begin();
  const foreign = { passkey: theirs.key.get(wrong.challenge) };
  expect(
    (await call(sessionsConsole.secondFactor, { headers: wrong.headers, body: foreign })).status,
  ).toBe(401);
  const { challenge, headers } = await begin();
  // With a password, user presence is enough.
  const body = { passkey: key.get(challenge, { verifies: false }) };
  expect((await call(sessionsConsole.secondFactor, { headers, body })).status).toBe(200);
});

test("rejects a new passkey that fails the challenge or already exists", async () => {
  const { cookie } = await aPerson();
  const other = await aPerson();
  const { key } = await addPasskey(other.cookie);
  const start = async () =>
    (
      (await call(secondFactorsConsole.startPasskey, { cookie, body: shown })).body as {
        options: { challenge: string };
      }
    ).options;
  const attempt = (response: object) =>
    call(secondFactorsConsole.finishPasskey, { cookie, body: { name: "Key", response } });
  await start();
  expect((await attempt(anAuthenticator().create({ challenge: "AAAA" }))).status).toBe(422);
  const evil = { origin: "https://evil.example" };
  expect((await attempt(anAuthenticator().create(await start(), evil))).status).toBe(422);
  expect((await attempt(key.create(await start()))).body).toMatchObject({
    message: "This passkey is already in use",
  });
  expect(await factors(cookie)).toMatchObject({ passkeys: [] });
});

test("removing a factor requires password and factor; a required last factor stays", async () => {
  const { company, cookie } = await aPerson({ isRequired: true });
  const app = await addTotp(cookie);
  const remove = (cookie: string, proof: object, password = PASSWORD) =>
    call(secondFactorsConsole.removeTotp, { cookie, body: { currentPassword: password, proof } });
  const [one, two, three] = app.codes!;
  expect((await remove(app.cookie, { recoveryCode: one })).body).toMatchObject({
    message: expect.stringContaining("Add another one") as string,
  });

  await db()
    .update(companies)
    .set({ secondFactorRequired: false })
    .where(eq(companies.id, company.id));
  expect((await remove(app.cookie, { recoveryCode: two }, "wrong")).body).toMatchObject({
    message: "current_password: is incorrect",
  });
  expect((await remove(app.cookie, { code: "000000" })).body).toMatchObject({
    message: "code: is incorrect or was already used",
  });
  const gone = await remove(app.cookie, { recoveryCode: three });
  expect(gone.status).toBe(200);
  expect((await call(sessionsConsole.getMe, { cookie: app.cookie })).status).toBe(401);
  expect(await factors(cookieOf(gone))).toMatchObject({ totp: false, recoveryCodesLeft: 0 });
  expect((await remove(cookieOf(gone), { recoveryCode: one })).status).toBe(404);
});

test("concurrent removals keep one factor where it is required", async () => {
  const { email, cookie } = await aPerson({ isRequired: true });
  const { key, cookie: signed } = await addPasskey(cookie);
  const { recoveryCodes: codes } = await aTotp(email);
  const answers = await Promise.all([
    call(secondFactorsConsole.removeTotp, {
      cookie: signed,
      body: { ...shown, proof: { recoveryCode: codes[1] } },
    }),
    call(secondFactorsConsole.removePasskey, {
      cookie: signed,
      params: { id: key.id },
      body: { ...shown, proof: { recoveryCode: codes[0] } },
    }),
  ]);
  // The first removal renews the session, so the second one may also come too late for it.
  expect(answers.map(({ status }) => status).sort()).toEqual([200, expect.toBeOneOf([401, 403])]);
  const left = await getFactors(db(), personAccount(email));
  expect(Number(left.hasTotp) + left.passkeys.length).toBe(1);
});

test("a signed confirmation works once", async () => {
  const { cookie } = await aPerson();
  const { key, cookie: signed } = await addPasskey(cookie);
  const asked = await call(secondFactorsConsole.getPasskeyChallenge, { cookie: signed });
  const { options } = asked.body as { options: { challenge: string } };
  const make = () =>
    call(secondFactorsConsole.regenerateRecoveryCodes, {
      cookie: signed,
      body: { ...shown, proof: { passkey: key.get(options) } },
    });
  const made = await make();
  expect((made.body as { recoveryCodes: string[] }).recoveryCodes).toHaveLength(10);
  expect((await make()).status).toBe(422);
});

test("new recovery codes replace the current ones", async () => {
  const { email, cookie } = await aPerson();
  const { codes, cookie: signed } = await addTotp(cookie);
  const make = (code: string) =>
    call(secondFactorsConsole.regenerateRecoveryCodes, {
      cookie: signed,
      body: { ...shown, proof: { recoveryCode: code } },
    });
  expect((await make(codes![0]!)).status).toBe(200);
  expect((await make(codes![1]!)).status).toBe(422);
  const kept = await db().select().from(recoveryCodes).where(eq(recoveryCodes.email, email));
  expect(kept).toHaveLength(10);
  expect(JSON.stringify(kept)).not.toContain(codes![2]);
});

test("admins rename and remove only their own passkeys", async () => {
  const { cookie } = await aPerson();
  const { key, cookie: signed } = await addPasskey(cookie);
  const other = await aPerson();
  const theirs = await addTotp(other.cookie);
  const params = { id: key.id };
  const rename = (cookie: string, name: string) =>
    call(secondFactorsConsole.renamePasskey, { cookie, params, body: { name } });
  expect((await rename(signed, "Phone")).status).toBe(200);
  expect((await rename(signed, "a\nb")).status).toBe(422);
  expect((await rename(theirs.cookie, "Mine")).status).toBe(404);
  const body = { ...shown, proof: { recoveryCode: theirs.codes![0] } };
  expect(
    (await call(secondFactorsConsole.removePasskey, { cookie: theirs.cookie, params, body }))
      .status,
  ).toBe(404);
  expect(await db().select().from(passkeys).where(eq(passkeys.id, key.id))).toMatchObject([
    { name: "Phone" },
  ]);
});

test("rejects cross-origin requests", async () => {
  const { cookie } = await aPerson();
  const headers = { "sec-fetch-site": "cross-site", origin: "https://evil.example" };
  for (const endpoint of [
    secondFactorsConsole.startTotp,
    secondFactorsConsole.startPasskey,
    secondFactorsConsole.confirmTotp,
    secondFactorsConsole.regenerateRecoveryCodes,
  ])
    expect(await call(endpoint, { cookie, headers, body: {} })).toMatchObject({
      body: { name: "cross_origin" },
    });
  const form = { "content-type": "text/plain" };
  expect(
    await call(secondFactorsConsole.startTotp, { cookie, headers: form, body: shown }),
  ).toMatchObject({
    body: { name: "cross_origin" },
  });
});
