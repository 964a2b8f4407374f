import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

import { companies, mailboxes, mailboxIdentities } from "#drizzle/schema/index.ts";
import { mailboxAccessConsole } from "#server/resources/mailboxes/access.ts";
import { singleSignOnConsole } from "#server/resources/single-sign-on.ts";
import { mailboxAccount } from "#server/core/access/second-factors/factors.ts";
import {
  changeProviderSettings,
  findIdentityProvider,
} from "#server/core/access/single-sign-on/providers.ts";
import { startAccountSession } from "#server/core/access/sessions/account-sessions.ts";
import { startFactorStep } from "#server/core/access/second-factors/factor-step.ts";
import { findSubmitter } from "#server/core/mail/submission/submitter.ts";
import { createAppPassword } from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { selectShownMailboxes } from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import {
  authenticateMailbox,
  SignInError,
} from "#server/core/mailboxes/sign-in/mailbox-sign-in.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import { newTotpSecret } from "#server/core/access/second-factors/codes.ts";
import { db } from "#server/db/pool.ts";
import { middleOfStep, totpCode } from "#server/testing/a-second-factor.ts";
import { aTrustedProvider } from "#server/testing/a-trusted-provider.ts";
import type { TestProvider } from "#server/testing/an-identity-provider.ts";
import { call } from "#server/testing/call.ts";
import {
  aCompany,
  aContext,
  aDomain,
  aMailbox,
  anAdmin,
  anAlias,
} from "#server/testing/factories.ts";
import {
  aMailboxUser as aMailboxUserAt,
  browser,
  finish,
  goThrough as goThroughAt,
  signInWith as signInAt,
  start,
} from "#server/testing/mailbox-provider.ts";
import {
  aConnectedCompany,
  actionsOf,
  cookies,
  finish as finishAtConsole,
  messageOf,
  newAddress,
  start as startAtConsole,
} from "#server/testing/single-sign-on.ts";

import { secondFactorsAccount, sessionsAccount } from "#server/resources/account/sessions.ts";

const PASSWORD = "test password";
let provider: TestProvider;
beforeAll(async () => {
  provider = await aTrustedProvider();
});
afterAll(() => provider.close());
beforeEach(() => {
  provider.script = { claims: {}, usesForeignKey: false };
});

const withPassword = (address: string, password = PASSWORD) =>
  call(sessionsAccount.signIn, { body: { address, password }, headers: browser() });
const me = async (cookie: string) => (await call(sessionsAccount.getMe, { cookie })).body;
const statusOfMe = async (cookie: string) => (await call(sessionsAccount.getMe, { cookie })).status;

const goThrough = (address: string, user: Record<string, unknown>) =>
  goThroughAt(provider, address, user);
const signInWith = (address: string, user: Record<string, unknown>) =>
  signInAt(provider, address, user);
const aMailboxUser = (overrides: Partial<typeof mailboxes.$inferInsert> = {}) =>
  aMailboxUserAt(provider, overrides);

const linkOf = async (address: string) =>
  (await db().select().from(mailboxIdentities).where(eq(mailboxIdentities.mailbox, address)))[0];

/** Signs in to SMTP: returns the kind of credential, or the error message. */
async function inMailApp(username: string, password: string): Promise<string> {
  const attempt = { username, password, clientAddress: newAddress(), service: "smtp" } as const;
  try {
    return (await authenticateMailbox(db(), attempt)).credential;
  } catch (error) {
    if (error instanceof SignInError) return error.message;
    throw error;
  }
}

test("signs a mailbox user in once it is allowed, links the account, and then recognizes it by its subject", async () => {
  const { cookie, domain, company } = await aConnectedCompany(provider);
  const { address } = await aMailbox(domain);
  expect((await start({ email: address })).status).toBe(404);
  const change = (body: object) => call(singleSignOnConsole.update, { cookie, body });
  await change({ allowsMailboxes: true });
  // The response doesn't reveal which addresses exist.
  expect((await start({ email: `nobody@${domain.name}` })).status).toBe(200);
  expect((await start({ email: "nobody@elsewhere.example" })).status).toBe(404);

  const user = { sub: randomUUID(), email: address, email_verified: true };
  const first = await signInWith(address, { ...user, email: address.toUpperCase() });
  expect(first.answered.body).toMatchObject({ signedIn: true, secondFactor: null });
  expect(await me(first.cookie)).toMatchObject({
    address,
    acceptsPassword: true,
    mustChangePassword: false,
    providerId: (await findIdentityProvider(aContext(company.id)))!.id,
  });
  const actions = ["single_sign_on.mailboxes_changed", "single_sign_on.mailbox_linked"];
  expect(await actionsOf(company.id)).toEqual(expect.arrayContaining(actions));

  const renamed = await signInWith(address, { sub: user.sub, email: "new@elsewhere.example" });
  expect(await me(renamed.cookie)).toMatchObject({ address });
  const other = await signInWith(address, { ...user, sub: randomUUID() });
  expect(messageOf(other.answered)).toContain(
    "Another account at your identity provider is linked",
  );

  const pending = await goThrough(address, user);
  await change({ allowsMailboxes: false });
  expect(await statusOfMe(renamed.cookie)).toBe(401);
  expect((await finish(pending.step, pending.response)).status).toBe(401);
});

test("a sign-in that began at the console doesn't open /account, nor the other way around", async () => {
  const { email, domain, address, user } = await aMailboxUser();
  await aMailbox(domain, { address: email });
  provider.user = { ...user, email };
  const atConsole = await startAtConsole({ email });
  const url = (atConsole.body as { url: string }).url;
  expect(new URL(url).searchParams.get("state")).toMatch(/^console\./);
  const asAccount = cookies(atConsole)[0]!.replace("posthouse_step", "posthouse_account_step");
  expect((await finish(asAccount, provider.authorize(url))).status).toBe(401);

  const { step, response } = await goThrough(address, { ...user, email });
  expect(response.state).toMatch(/^account\./);
  const asConsole = step.replace("posthouse_account_step", "posthouse_step");
  expect((await finishAtConsole(asConsole, response)).status).toBe(401);
  // Neither spent the attempt.
  expect((await finish(step, response)).status).toBe(200);
  expect((await finish(step, response)).status).toBe(401);
});

test("rejects anyone who isn't an active mailbox user of the company", async () => {
  const theirs = await aMailboxUser();
  const { address, user, domain, email, company } = await aMailboxUser();
  const alias = await anAlias(domain, address);
  const unproven = await aMailbox(await aDomain(company.id, { ownershipProvenAt: null }));
  const messageFor = async (claims: object) =>
    messageOf((await signInWith(address, { ...user, ...claims })).answered);
  const isNone = "isn't a mailbox of this company";
  expect(await messageFor({ email: theirs.address })).toContain(isNone);
  expect(await messageFor({ email: alias })).toContain(isNone);
  // An admin's address.
  expect(await messageFor({ email })).toContain(isNone);
  expect(await messageFor({ email: unproven.address })).toContain(isNone);
  expect(await messageFor({ email_verified: false })).toContain("hasn't verified your email");
  expect(await linkOf(theirs.address)).toBeUndefined();

  const suspend = (suspendedAt: string | null) =>
    db().update(mailboxes).set({ suspendedAt }).where(eq(mailboxes.address, address));
  const now = new Date().toISOString();
  await suspend(now);
  expect(await messageFor({})).toBe("This mailbox is suspended");
  expect(await linkOf(address)).toBeUndefined();
  await suspend(null);
  const { cookie } = await signInWith(address, user);
  expect(await statusOfMe(cookie)).toBe(200);
  await suspend(now);
  expect(await statusOfMe(cookie)).toBe(401);
  expect(await messageFor({})).toBe("This mailbox is suspended");
  await suspend(null);

  const pending = await goThrough(address, user);
  await db().update(companies).set({ suspendedAt: now }).where(eq(companies.id, company.id));
  expect((await finish(pending.step, pending.response)).status).toBe(401);
  expect((await start({ email: address })).status).toBe(404);
  expect(await statusOfMe(cookie)).toBe(401);
});

test("asks for the mailbox user's second factor unless the provider counts as one", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: middleOfStep() });
  const secret = newTotpSecret();
  const { address, user, change, ownerCookie } = await aMailboxUser({
    totpSecret: seal("totp_secret", secret),
  });
  const { answered, cookie: step } = await signInWith(address, user);
  expect(answered.body).toMatchObject({ signedIn: false, secondFactor: { totp: true } });
  const verify = () =>
    call(sessionsAccount.secondFactor, {
      body: { code: totpCode(secret) },
      headers: browser(step),
    });
  const [single] = cookies(await verify());
  expect(await me(single!)).toMatchObject({ providerId: expect.any(String) as string });

  await change({ isSecondFactor: true });
  expect((await signInWith(address, user)).answered.body).toMatchObject({ signedIn: true });
  await change({ isSecondFactor: false });
  // Unlinking ends a sign-in that waits for the second factor, even once another account is linked.
  const waiting = await signInWith(address, user);
  await call(mailboxAccessConsole.unlink, { cookie: ownerCookie, params: { email: address } });
  const another = await signInWith(address, { ...user, sub: randomUUID() });
  const body = { code: totpCode(secret, { steps: 1 }) };
  const late = await call(sessionsAccount.secondFactor, {
    body,
    headers: browser(waiting.cookie),
  });
  expect(late.status).toBe(401);
  await db().delete(mailboxIdentities).where(eq(mailboxIdentities.mailbox, address));
  const unlinked = await call(sessionsAccount.secondFactor, {
    body,
    headers: browser(another.cookie),
  });
  expect(unlinked.status).toBe(401);
  vi.useRealTimers();
});

test("if single sign-on is required, the mailbox password opens neither /account nor mail apps", async () => {
  const { address, user, change, ctx, ownerCookie, domain } = await aMailboxUser();
  const other = await aMailbox(domain);
  const theirs = await aMailboxUser();
  const refused = await change({ requiredForMailboxes: true });
  expect(messageOf(refused)).toContain("Sign in to a mailbox through your identity provider first");
  const { cookie: single } = await signInWith(address, user);
  const [session] = cookies(await withPassword(address));
  const { secret } = await createAppPassword(ctx, address, "Phone");
  const submitter = () => findSubmitter(db(), address, { isLocked: false });
  const before = await submitter();

  expect((await change({ requiredForMailboxes: true })).status).toBe(200);
  expect(await statusOfMe(session!)).toBe(401);
  expect(await me(single)).toMatchObject({ address, acceptsPassword: false });
  const rejected = await withPassword(address);
  expect(rejected).toMatchObject({ status: 403 });
  expect(messageOf(rejected)).toContain("Your company requires single sign-on");
  expect(cookies(rejected)).toEqual([]);
  expect(await withPassword(address, "wrong")).toMatchObject({ status: 401 });
  expect(await inMailApp(address, PASSWORD)).toMatch(
    /requires single sign-on. Use an app password/,
  );
  expect(await inMailApp(address, secret)).toBe("app_password");
  // Open SMTP sessions must sign in again, and mail apps are disconnected.
  expect((await submitter())!.credentialsVersion).not.toBe(before!.credentialsVersion);
  const ending = [domain, theirs.domain].map(({ name }) => `end_mail_sessions:%@${name}`);
  const jobs = await db().execute(
    sql`select key from graphile_worker.jobs where key like any(${sql.param(ending)}) order by 1`,
  );
  expect(jobs).toEqual(
    [address, other.address].toSorted().map((each) => ({ key: `end_mail_sessions:${each}` })),
  );

  // Renewing the session for another change doesn't make it a password session.
  const shown = { currentPassword: PASSWORD };
  const started = await call(secondFactorsAccount.startTotp, { cookie: single, body: shown });
  const code = totpCode((started.body as { secret: string }).secret);
  const [renewed] = cookies(
    await call(secondFactorsAccount.confirmTotp, { cookie: single, body: { code } }),
  );
  expect(await statusOfMe(renewed!)).toBe(200);
  const body = { currentPassword: PASSWORD, password: "seven green umbrellas" };
  const [changed] = cookies(await call(sessionsAccount.changePassword, { cookie: renewed!, body }));
  expect(await statusOfMe(changed!)).toBe(200);

  for (const [body, message] of [
    [{ allowsMailboxes: false }, "Make single sign-on optional for them first"],
    [undefined, "Mailbox users have to sign in with this identity provider"],
  ] as const) {
    const answered = body
      ? await change(body)
      : await call(singleSignOnConsole.remove, { cookie: ownerCookie });
    expect(messageOf(answered)).toContain(message);
  }
  // As `posthouse company allow-passwords` does.
  await changeProviderSettings(ctx, null, { requiredForMailboxes: false });
  expect((await withPassword(address, body.password)).status).toBe(200);
  expect((await call(singleSignOnConsole.remove, { cookie: ownerCookie })).status).toBe(200);
  expect(await statusOfMe(changed!)).toBe(401);
  expect(await linkOf(address)).toBeUndefined();
});

test("a second factor after the password doesn't get around the requirement", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: middleOfStep() });
  const secret = newTotpSecret();
  const { address, domain, user, change } = await aMailboxUser();
  const { address: ben } = await aMailbox(domain, { totpSecret: seal("totp_secret", secret) });
  await signInWith(address, user);
  const step = await startFactorStep(db(), mailboxAccount(ben));
  await change({ requiredForMailboxes: true });
  const answered = await call(sessionsAccount.secondFactor, {
    body: { code: totpCode(secret) },
    headers: browser(`posthouse_account_step=${step!.token}`),
  });
  expect(answered).toMatchObject({ status: 403 });
  expect(cookies(answered)).toEqual([]);
  // After the password alone, it isn't asked for.
  expect(await withPassword(ben)).toMatchObject({ status: 403 });
  vi.useRealTimers();
});

test("a mailbox user who never had a password signs in with the provider and app passwords", async () => {
  const { address, user, ctx, change } = await aMailboxUser({
    forcePasswordChange: true,
  });
  const { secret } = await createAppPassword(ctx, address, "Phone");
  const [withTemporary] = cookies(await withPassword(address));
  expect(await me(withTemporary!)).toMatchObject({ mustChangePassword: true });
  const isBlocked = async () =>
    (await findSubmitter(db(), address, { isLocked: false }))!.isBlocked;
  const due = /^Set a new password first/;
  expect(await inMailApp(address, secret)).toMatch(due);
  expect(await isBlocked()).toBe(true);

  const { cookie } = await signInWith(address, user);
  expect(await me(cookie)).toMatchObject({ mustChangePassword: false });
  expect(await inMailApp(address, secret)).toBe("app_password");
  expect(await isBlocked()).toBe(false);
  expect(await inMailApp(address, PASSWORD)).toMatch(due);

  // The console shows the change as due while the password can be used.
  const shown = async () =>
    (await selectShownMailboxes(ctx).where(eq(mailboxes.address, address)))[0];
  expect(await shown()).toMatchObject({ acceptsPassword: true, isPasswordChangeDue: true });
  await change({ requiredForMailboxes: true });
  expect(await shown()).toMatchObject({ acceptsPassword: false, isPasswordChangeDue: false });
  expect(await me(cookie)).toMatchObject({ mustChangePassword: false });
});

test("an admin sees the link and unlinks the mailbox, which ends the provider's sessions", async () => {
  const { address, user, ownerCookie, company, ctx } = await aMailboxUser();
  const { cookie } = await signInWith(address, user);
  const [session] = cookies(await withPassword(address));
  const at = { cookie: ownerCookie, params: { email: address } };
  expect((await call(mailboxAccessConsole.getAccess, at)).body).toMatchObject({
    identityLinkedAt: expect.any(String) as string,
  });
  const ofMailbox = eq(mailboxes.address, address);
  const shown = async () => (await selectShownMailboxes(ctx).where(ofMailbox))[0];
  expect(await shown()).toMatchObject({ signsInWithProvider: true });
  expect((await call(mailboxAccessConsole.unlink, at)).status).toBe(200);
  expect((await call(mailboxAccessConsole.unlink, at)).status).toBe(404);
  expect((await call(mailboxAccessConsole.getAccess, at)).body).toMatchObject({
    identityLinkedAt: null,
  });
  expect(await shown()).toMatchObject({ signsInWithProvider: false });
  expect(await statusOfMe(cookie)).toBe(401);
  expect(await statusOfMe(session!)).toBe(200);
  expect(await actionsOf(company.id)).toContain("single_sign_on.mailbox_unlinked");
  // As a password change does whose hashing took longer than the unlinking.
  const { id: providerId } = (await findIdentityProvider(ctx))!;
  const from = { clientAddress: newAddress(), userAgent: null, providerId };
  const [late] = (await startAccountSession(db(), address, from)).split(";");
  expect(await statusOfMe(late!)).toBe(401);
  const again = await signInWith(address, { ...user, sub: randomUUID() });
  expect(await statusOfMe(again.cookie)).toBe(200);
  expect(await statusOfMe(late!)).toBe(401);
});

test("the settings count who would be affected", async () => {
  const { address, user, domain, ownerCookie, ctx } = await aMailboxUser();
  const withBoth = await aMailbox(domain);
  const now = Math.floor(Date.now() / 1000);
  for (const each of [address, withBoth.address])
    await db().execute(
      sql`insert into mailbox_sign_ins (address, last_sign_in) values (${each}, ${now})`,
    );
  await createAppPassword(ctx, withBoth.address, "Phone");
  await db().execute(
    sql`update app_passwords set last_used_at = now() where mailbox = ${withBoth.address}`,
  );
  await signInWith(address, user);
  expect((await call(singleSignOnConsole.get, { cookie: ownerCookie })).body).toMatchObject({
    mailboxes: { linked: 1, withPassword: 1, withoutAppPasswords: 0 },
  });
});

test.each<[string, { isOwner?: true; isOperator?: true; isElsewhere?: true }, number]>([
  ["an owner", { isOwner: true }, 200],
  ["an operator", { isOperator: true }, 403],
  ["an admin of another company", { isElsewhere: true }, 403],
])("links the mailbox of %s: %#", async (_, { isElsewhere = false, ...more }, status) => {
  const { address, user, company } = await aMailboxUser();
  const companyId = isElsewhere ? (await aCompany()).id : company.id;
  await anAdmin(companyId, { email: address, ...more });
  expect((await signInWith(address, user)).answered).toMatchObject({ status });
});

test.each([
  ["operator", { isOperator: true }],
  ["owner of another company", { isOwner: true }],
])("stops opening a linked mailbox whose user becomes %s", async (_, more) => {
  const { address, user } = await aMailboxUser();
  const { cookie } = await signInWith(address, user);
  const other = await aMailboxUser();
  const { cookie: otherCookie } = await signInWith(other.address, other.user);
  const companyId = (await aCompany()).id;
  await anAdmin(companyId, { email: address, ...more });
  expect((await signInWith(address, user)).answered.status).toBe(403);
  expect(await statusOfMe(cookie)).toBe(401);

  await anAdmin(companyId, { email: `alias-${other.address}`, ...more });
  expect(await statusOfMe(otherCookie)).toBe(200);
  await anAlias(other.domain, other.address, `alias-${other.address}`);
  expect(await statusOfMe(otherCookie)).toBe(401);
});
