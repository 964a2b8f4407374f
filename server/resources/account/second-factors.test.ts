import { arrayContains, eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { auditEntries, emails, mailboxes, mailboxPasskeys } from "#drizzle/schema/index.ts";
import { completeSecondStep } from "#server/core/access/people/person-sign-in.ts";
import { findSignedIn, startSession } from "#server/core/access/sessions/sessions.ts";
import {
  CODES_PER_DAY_MAX,
  countCodeAttempt,
  isKnownNetwork,
  rememberNetwork,
} from "#server/core/access/sign-in/throttle.ts";
import { sendNotice } from "#server/core/mail/notices/send-notice.ts";
import { createAppPassword } from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { resetSecondFactor } from "#server/core/mailboxes/mailboxes/mailbox-passwords.ts";
import { authenticateMailbox } from "#server/core/mailboxes/sign-in/mailbox-sign-in.ts";
import { db } from "#server/db/pool.ts";
import { middleOfStep, totpCode } from "#server/testing/a-second-factor.ts";
import { anAuthenticator } from "#server/testing/an-authenticator.ts";
import { call } from "#server/testing/call.ts";
import {
  aCompany,
  aContext,
  aDomain,
  allowForwarding,
  aMailbox,
  anAdmin,
} from "#server/testing/factories.ts";
import { queuedNotices } from "#server/testing/queued-notices.ts";

import { appPasswordsAccount } from "./mail-apps.ts";
import { rulesAccount } from "./rules.ts";
import { secondFactorsAccount, sessionsAccount } from "./sessions.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: middleOfStep() }));

afterEach(() => void vi.useRealTimers());

const PASSWORD = "test password";
const own = { "sec-fetch-site": "same-origin" };
const shown = { currentPassword: PASSWORD };

const cookieOf = ({ headers }: { headers: Headers }) => headers.getSetCookie()[0]!.split(";")[0]!;

const trySignIn = (address: string, from = "127.0.0.1") =>
  call(sessionsAccount.signIn, {
    body: { address, password: PASSWORD },
    headers: { ...own, "x-forwarded-for": from },
  });

const verify = (step: string, body: object, from = "127.0.0.1") =>
  call(sessionsAccount.secondFactor, {
    body,
    headers: { ...own, cookie: step, "x-forwarded-for": from },
  });

const factors = async (cookie: string) =>
  ((await call(secondFactorsAccount.get, { cookie })).body as { secondFactor: object })
    .secondFactor;

async function aMailboxUser() {
  const company = await aCompany();
  const { address } = await aMailbox(await aDomain(company.id));
  return { company, address, cookie: cookieOf(await trySignIn(address)) };
}

async function withTotp() {
  const user = await aMailboxUser();
  const started = await call(secondFactorsAccount.startTotp, { cookie: user.cookie, body: shown });
  const { secret } = started.body as { secret: string };
  const done = await call(secondFactorsAccount.confirmTotp, {
    cookie: user.cookie,
    body: { code: totpCode(secret) },
  });
  const { recoveryCodes: codes } = done.body as { recoveryCodes: string[] };
  return { ...user, secret, codes, cookie: cookieOf(done), before: user.cookie };
}

const useWith = (address: string, password: string) =>
  authenticateMailbox(db(), {
    username: address,
    password,
    clientAddress: "192.0.2.9",
    service: "smtp",
  });

test("turning on a second factor ends sessions that the password alone has opened", async () => {
  const { address, cookie } = await aMailboxUser();
  const other = cookieOf(await trySignIn(address));
  const { secret } = (await call(secondFactorsAccount.startTotp, { cookie, body: shown })).body as {
    secret: string;
  };
  expect((await call(sessionsAccount.getMe, { cookie: other })).status).toBe(200);
  const done = await call(secondFactorsAccount.confirmTotp, {
    cookie,
    body: { code: totpCode(secret) },
  });
  expect((await call(sessionsAccount.getMe, { cookie: other })).status).toBe(401);
  expect((await call(sessionsAccount.getMe, { cookie: cookieOf(done) })).status).toBe(200);
});

test("a network is known once the second factor was shown, and codes from others are counted together", async () => {
  const { address, secret } = await withTotp();
  const [home, cafe] = ["192.0.2.77", "192.0.2.78"];
  const step = cookieOf(await trySignIn(address, home));
  expect(await isKnownNetwork(db(), address, home)).toBe(false);
  expect((await verify(step, { code: totpCode(secret, { steps: 1 }) }, home)).status).toBe(200);
  expect(await isKnownNetwork(db(), address, home)).toBe(true);

  const countCode = async (clientAddress: string) => {
    await countCodeAttempt(db(), { account: address, clientAddress });
  };
  for (let n = 0; n < CODES_PER_DAY_MAX; n++) {
    // Known, but from a mail app.
    await rememberNetwork(db(), address, `198.51.100.${n}`);
    await countCode(`198.51.100.${n}`);
  }
  await rememberNetwork(db(), address, cafe);
  await expect(countCode(cafe)).rejects.toMatchObject({ reason: "rate_limit_exceeded" });
  await countCode(home);
});

test("with an authenticator app, the password alone opens no session", async () => {
  const { address, secret, codes, cookie, before, company } = await withTotp();
  expect(codes).toHaveLength(10);
  expect((await call(sessionsAccount.getMe, { cookie: before })).status).toBe(401);
  expect(await factors(cookie)).toMatchObject({ totp: true, recoveryCodesLeft: 10 });

  const asked = await trySignIn(address);
  expect(asked.body).toMatchObject({
    signedIn: false,
    secondFactor: { totp: true, recoveryCode: true, passkey: null },
  });
  const step = cookieOf(asked);
  expect((await call(sessionsAccount.getMe, { cookie: step })).status).toBe(401);
  expect((await verify(step, { code: "000000" })).status).toBe(401);
  // A mailbox user's step opens no console.
  const code = totpCode(secret, { steps: 1 });
  const origin = { clientAddress: "192.0.2.8", userAgent: null };
  await expect(
    completeSecondStep(db(), { token: step.split("=")[1]!, proof: { code }, origin }),
  ).rejects.toMatchObject({ reason: "not_signed_in" });
  const right = await verify(step, { code });
  expect(right.status).toBe(200);
  expect((await call(sessionsAccount.getMe, { cookie: cookieOf(right) })).body).toMatchObject({
    address,
  });
  expect((await verify(step, { recoveryCode: codes[0] })).status).toBe(401);

  const again = cookieOf(await trySignIn(address));
  expect((await verify(again, { recoveryCode: codes[0] })).status).toBe(200);
  const third = cookieOf(await trySignIn(address));
  expect((await verify(third, { recoveryCode: codes[0] })).status).toBe(401);
  const entries = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.companyId, company.id));
  expect(entries.map(({ action, actor, details }) => [action, actor, details])).toContainEqual([
    "second_factor.totp_added",
    address,
    { mailbox: address },
  ]);
});

test("mail apps need an app password while a second factor is on", async () => {
  const { address, company, cookie, codes } = await withTotp();
  await expect(useWith(address, PASSWORD)).rejects.toThrow(
    "Two-factor authentication is on. Use an app password: ",
  );
  const { secret } = await createAppPassword(aContext(company.id), address, "Phone");
  expect(await useWith(address, secret)).toMatchObject({ credential: "app_password" });

  const wrong = { currentPassword: "wrong", proof: { recoveryCode: codes[0] } };
  expect((await call(secondFactorsAccount.removeTotp, { cookie, body: wrong })).status).toBe(422);
  const body = { ...shown, proof: { recoveryCode: codes[0] } };
  const removed = await call(secondFactorsAccount.removeTotp, { cookie, body });
  expect(removed.status).toBe(200);
  expect(await factors(cookieOf(removed))).toMatchObject({ totp: false, recoveryCodesLeft: 0 });
  expect(await useWith(address, PASSWORD)).toMatchObject({ credential: "password" });
  expect((await trySignIn(address)).body).toMatchObject({ signedIn: true });
});

test("giving others access to the mail requires the password and notifies the mailbox user", async () => {
  const { cookie, company } = await aMailboxUser();
  await allowForwarding(company.id);
  const notices = async () =>
    (await queuedNotices(company.id)).map((notice) =>
      "what" in notice ? notice.what : notice.kind,
    );
  const create = (body: object) =>
    call(appPasswordsAccount.create, { cookie, body: { name: "Phone", ...body } });
  const forward = (to: string[], keepCopy: boolean, body: object = {}) =>
    call(rulesAccount.saveForwarding, {
      cookie,
      body: { forwardTo: to, keepCopy, ...body },
    });
  const wrong = { currentPassword: "wrong" };
  for (const body of [{}, wrong, { proof: { code: "123456" } }]) {
    expect(await create(body)).toMatchObject({ status: 422, body: { name: "validation_error" } });
    expect((await forward(["ben@example.org"], true, body)).status).toBe(422);
  }
  expect(await notices()).toEqual([]);
  expect((await call(appPasswordsAccount.list, { cookie })).body).toEqual({ data: [] });
  expect((await create(shown)).status).toBe(200);
  expect((await forward(["ben@example.org"], true, shown)).status).toBe(200);
  expect(await notices()).toEqual(["app_password_created", "forwarding_changed"]);
  // Saving the same addresses or fewer gives no one else access.
  expect((await forward(["Ben@example.org"], true)).status).toBe(200);
  expect((await forward(["ben@example.org"], false)).status).toBe(422);
  expect((await forward([], true)).status).toBe(200);
  expect(await notices()).toHaveLength(2);
});

test("app passwords and forwarding also require the second factor, if there is one", async () => {
  const { cookie, secret } = await withTotp();
  const create = (body: object) =>
    call(appPasswordsAccount.create, { cookie, body: { name: "Phone", ...body } });
  const forward = { ...shown, forwardTo: ["ben@example.org"], keepCopy: true };
  expect(await create(shown)).toMatchObject({
    status: 422,
    body: { message: "Enter a code from your second factor" },
  });
  expect((await create({ ...shown, proof: { code: "000000" } })).status).toBe(422);
  expect((await call(rulesAccount.saveForwarding, { cookie, body: forward })).status).toBe(422);
  const proof = { code: totpCode(secret, { steps: 1 }) };
  expect((await create({ ...shown, proof })).status).toBe(200);
  // A code works once.
  expect(
    (await call(rulesAccount.saveForwarding, { cookie, body: { ...forward, proof } })).status,
  ).toBe(422);
});

test("a passkey is a second factor of its mailbox only", async () => {
  const { address, cookie } = await aMailboxUser();
  const key = anAuthenticator();
  const started = await call(secondFactorsAccount.startPasskey, { cookie, body: shown });
  const { options } = started.body as { options: { challenge: string } };
  const added = await call(secondFactorsAccount.finishPasskey, {
    cookie,
    body: { name: "Laptop", response: key.create(options) },
  });
  expect(added.status).toBe(200);
  const asked = await trySignIn(address);
  const { secondFactor: wanted } = asked.body as {
    secondFactor: { totp: boolean; passkey: { challenge: string } };
  };
  expect(wanted.totp).toBe(false);
  await expect(useWith(address, PASSWORD)).rejects.toThrow("Two-factor authentication is on");
  const right = await verify(cookieOf(asked), { passkey: key.get(wanted.passkey) });
  expect(right.status).toBe(200);

  const other = await aMailboxUser();
  const id = ((await factors(cookieOf(right))) as { passkeys: { id: string }[] }).passkeys[0]!.id;
  const body = { ...shown, proof: { code: "000000" } };
  const foreign = await call(secondFactorsAccount.removePasskey, {
    cookie: other.cookie,
    params: { id },
    body,
  });
  expect(foreign.status).toBe(404);

  // What an earlier version leaves when it deletes and restores a mailbox.
  await db().delete(mailboxPasskeys).where(eq(mailboxPasskeys.email, address));
  expect(await useWith(address, PASSWORD)).toMatchObject({ credential: "password" });
});

test("an admin removes the second factors of a mailbox user, who is signed out", async () => {
  const { address, company, cookie } = await withTotp();
  const reset = async (companyId: string) => {
    const { id } = await anAdmin(companyId, { isOwner: true });
    const admin = await findSignedIn(db(), await startSession(db(), id));
    await resetSecondFactor(aContext(companyId), admin!, address);
  };
  const notFound = { reason: "not_found" };
  await expect(reset((await aCompany()).id)).rejects.toMatchObject(notFound);
  await reset(company.id);
  await expect(reset(company.id)).rejects.toMatchObject(notFound);
  expect((await call(sessionsAccount.getMe, { cookie })).status).toBe(401);
  expect((await trySignIn(address)).body).toMatchObject({ signedIn: true });
  const [mailbox] = await db().select().from(mailboxes).where(eq(mailboxes.address, address));
  expect(mailbox).toMatchObject({ totpSecret: null });
});

test("each change of factors is reported once, to the mailbox and to no other company", async () => {
  const { address, company } = await withTotp();
  const { id: companyId } = company;
  const { id } = await anAdmin(companyId, { isOwner: true });
  const admin = await findSignedIn(db(), await startSession(db(), id));
  await resetSecondFactor(aContext(companyId), admin!, address);

  const rows = await db().execute<{ payload: Parameters<typeof sendNotice>[1] }>(sql`
    select payload from graphile_worker._private_jobs j
    join graphile_worker._private_tasks t on t.id = j.task_id
    where t.identifier = 'send_notice' and payload ->> 'companyId' = ${companyId} order by j.id`);
  const [added] = rows;
  for (const { payload } of [...rows, added!]) await sendNotice(db(), payload);
  const sent = () =>
    db()
      .select()
      .from(emails)
      .where(arrayContains(emails.to, [address]));
  expect((await sent()).map(({ subject }) => subject).toSorted()).toEqual([
    "An authenticator app was added",
    "Your second factors were removed",
  ]);
  const stranger = await aMailbox(await aDomain((await aCompany()).id));
  const notice = { ...added!.payload.notice, mailbox: stranger.address } as never;
  await sendNotice(db(), { ...added!.payload, id: crypto.randomUUID(), notice });
  expect(await db().$count(emails, arrayContains(emails.to, [stranger.address]))).toBe(0);
});
