import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

import { signInSteps } from "#drizzle/schema/index.ts";
import { secondFactorsAccount, sessionsAccount } from "#server/resources/account/sessions.ts";
import { mailboxAccessConsole } from "#server/resources/mailboxes/access.ts";
import { secondFactorsConsole } from "#server/resources/profile.ts";
import { newTotpSecret } from "#server/core/access/second-factors/codes.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import { db } from "#server/db/pool.ts";

import { middleOfStep, totpCode } from "./a-second-factor.ts";
import { aTrustedProvider } from "./a-trusted-provider.ts";
import type { TestProvider } from "./an-identity-provider.ts";
import { call } from "./call.ts";
import { aMailbox } from "./factories.ts";
import { aMailboxUser, browser, finish, goThrough, signInWith } from "./mailbox-provider.ts";
import { cookies, finish as finishAtConsole, messageOf } from "./single-sign-on.ts";

let provider: TestProvider;
beforeAll(async () => {
  provider = await aTrustedProvider();
});
afterAll(() => provider.close());
beforeEach(() => {
  provider.script = { claims: {}, usesForeignKey: false };
});

const now = () => Math.floor(Date.now() / 1000);

/** A mailbox user whose session the provider started. */
async function aProviderUser(overrides: Parameters<typeof aMailboxUser>[1] = {}) {
  const mailbox = await aMailboxUser(provider, overrides);
  const { address, user } = mailbox;
  const { cookie } = await signInWith(provider, address, user);
  return { ...mailbox, cookie, user: { ...user, auth_time: now() } };
}

/** Starts confirming, authenticates as `user`, and returns how to come back from the provider. */
async function authenticate(cookie: string, user: Record<string, unknown>) {
  provider.user = user;
  const started = await call(secondFactorsAccount.startProviderConfirmation, { cookie });
  expect(started.status).toBe(200);
  const url = new URL((started.body as { url: string }).url);
  const response = provider.authorize(url.href);
  const step = cookies(started)[0]!;
  return { url, step, response, finish: (as = cookie) => finish(`${as}; ${step}`, response) };
}

const confirm = async (cookie: string, user: Record<string, unknown>) =>
  (await authenticate(cookie, user)).finish();
const addApp = (cookie: string) => call(secondFactorsAccount.startTotp, { cookie, body: {} });

test("a fresh sign-in at the provider replaces the password, until the first change", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: middleOfStep() });
  const { cookie, user } = await aProviderUser();
  expect(await addApp(cookie)).toMatchObject({
    status: 422,
    body: {
      fields: [
        { path: "currentPassword", message: expect.stringContaining("Enter your") as string },
      ],
    },
  });
  const { url, ...pending } = await authenticate(cookie, user);
  expect(Object.fromEntries(url.searchParams)).toMatchObject({ prompt: "login", max_age: "0" });
  expect(JSON.parse(url.searchParams.get("claims")!)).toEqual({
    id_token: { auth_time: { essential: true } },
  });
  const confirmed = await pending.finish();
  expect(confirmed.body).toMatchObject({ signedIn: true, secondFactor: null });
  // The session stays as it is.
  expect(cookies(confirmed)).toEqual([]);
  expect(await call(secondFactorsAccount.startPasskey, { cookie, body: {} })).not.toMatchObject({
    status: 422,
  });
  const started = await addApp(cookie);
  const code = totpCode((started.body as { secret: string }).secret);
  const [renewed] = cookies(
    await call(secondFactorsAccount.confirmTotp, { cookie, body: { code } }),
  );
  expect(await call(sessionsAccount.getMe, { cookie: renewed! })).toMatchObject({
    status: 200,
  });
  expect(await addApp(renewed!)).toMatchObject({ status: 422 });
  expect((await pending.finish(renewed)).status).toBe(401);
  vi.useRealTimers();
});

test("sets a password without the old one", async () => {
  const { address, cookie, user } = await aProviderUser();
  const password = "seven green umbrellas";
  const change = () => call(sessionsAccount.changePassword, { cookie, body: { password } });
  expect(await change()).toMatchObject({ status: 422 });
  await confirm(cookie, user);
  // A wrong password isn't ignored.
  const wrong = { currentPassword: "wrong", password };
  expect(await call(sessionsAccount.changePassword, { cookie, body: wrong })).toMatchObject({
    status: 422,
  });
  const [changed] = cookies(await change());
  expect(
    await call(sessionsAccount.signIn, { body: { address, password }, headers: browser() }),
  ).toMatchObject({
    status: 200,
  });
  expect(await addApp(changed!)).toMatchObject({ status: 422 });
});

test("still takes a second factor to weaken the sign-in", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: middleOfStep() });
  const secret = newTotpSecret();
  const mailbox = await aMailboxUser(provider, { totpSecret: seal("totp_secret", secret) });
  await mailbox.change({ isSecondFactor: true });
  const { cookie } = await signInWith(provider, mailbox.address, mailbox.user);
  await confirm(cookie, { ...mailbox.user, auth_time: now() });
  const regenerate = (code: string) =>
    call(secondFactorsAccount.regenerateRecoveryCodes, { cookie, body: { proof: { code } } });
  expect(await regenerate("000000")).toMatchObject({ status: 422 });
  expect(await regenerate(totpCode(secret))).toMatchObject({ status: 200 });
  vi.useRealTimers();
});

test("rejects a stale sign-in, and one with another account", async () => {
  const theirs = await aProviderUser();
  const { cookie, user, domain } = await aProviderUser();
  const unlinked = await aMailbox(domain);
  const messageFor = async (claims: object) => {
    const answered = await confirm(cookie, { ...user, ...claims });
    expect(answered.status).toBe(403);
    return messageOf(answered);
  };
  expect(await messageFor({ auth_time: now() - 120 })).toContain("didn't ask you to sign in again");
  expect(await messageFor({ auth_time: undefined })).toContain("add the claim auth_time");
  await messageFor({ auth_time: String(now()) });
  const isOther = "isn't the account that";
  expect(await messageFor({ sub: randomUUID() })).toContain(isOther);
  expect(await messageFor({ sub: theirs.user.sub })).toContain(isOther);
  expect(await messageFor({ sub: randomUUID(), email: unlinked.address })).toContain(isOther);
  expect(await addApp(cookie)).toMatchObject({ status: 422 });
  // A clock that is a little behind.
  expect(await confirm(cookie, { ...user, auth_time: now() - 30 })).toMatchObject({ status: 200 });
  expect(await addApp(cookie)).toMatchObject({ status: 200 });
});

test("counts only for the session it was started in, once", async () => {
  const theirs = await aProviderUser();
  const { address, cookie, user } = await aProviderUser();
  const other = (await signInWith(provider, address, user)).cookie;
  const pending = await authenticate(cookie, user);
  for (const as of [other, theirs.cookie, ""])
    expect(await pending.finish(as)).toMatchObject({ status: 401 });
  // It's not a sign-in, and it can no longer confirm the session: an attempt works only once.
  expect(await pending.finish()).toMatchObject({ status: 401 });
  for (const each of [cookie, other, theirs.cookie])
    expect(await addApp(each)).toMatchObject({ status: 422 });

  const again = await authenticate(cookie, user);
  const atConsole = again.step.replace("posthouse_account_step", "posthouse_step");
  expect((await finishAtConsole(atConsole, again.response)).status).toBe(401);
  expect(await again.finish()).toMatchObject({ status: 200 });
  expect(await again.finish()).toMatchObject({ status: 401 });
  expect(await addApp(other)).toMatchObject({ status: 422 });
});

test("an ordinary sign-in isn't a confirmation", async () => {
  const { address, cookie, user } = await aProviderUser();
  const { step, response } = await goThrough(provider, address, user);
  const [single] = cookies(await finish(`${cookie}; ${step}`, response));
  expect(await addApp(single!)).toMatchObject({ status: 422 });
});

test("ends after ten minutes, and when the mailbox is unlinked", async () => {
  const { address, cookie, user, ownerCookie } = await aProviderUser();
  const pending = await authenticate(cookie, user);
  await confirm(cookie, user);
  const step = eq(signInSteps.mailbox, address);
  const [confirmed] = await db().select().from(signInSteps).where(step);
  const minutes = (Date.parse(confirmed!.expiresAt) - Date.now()) / 60_000;
  expect(minutes).toBeGreaterThan(9);
  expect(minutes).toBeLessThan(10.1);
  const expiresAt = new Date().toISOString();
  await db().update(signInSteps).set({ expiresAt }).where(step);
  expect(await addApp(cookie)).toMatchObject({ status: 422 });
  await call(mailboxAccessConsole.unlink, { cookie: ownerCookie, params: { email: address } });
  expect(await db().$count(signInSteps, step)).toBe(0);
  expect(await pending.finish()).toMatchObject({ status: 401 });
});

test("isn't for sessions that began with a password, or for admins", async () => {
  const { address, cookie: owner } = await aMailboxUser(provider);
  const body = { address, password: "test password" };
  const [session] = cookies(await call(sessionsAccount.signIn, { body, headers: browser() }));
  const answered = await call(secondFactorsAccount.startProviderConfirmation, {
    cookie: session!,
  });
  expect(answered.status).toBe(403);
  expect(messageOf(answered)).toContain("You signed in with your password");
  expect(await call(secondFactorsConsole.startTotp, { cookie: owner, body: {} })).toMatchObject({
    status: 422,
  });
});
