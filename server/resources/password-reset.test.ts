import { randomUUID } from "node:crypto";

import { hash } from "@node-rs/argon2";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import {
  admins,
  auditEntries,
  emailBodies,
  emails,
  outbox,
  passkeys,
  people,
  recoveryCodes,
  sessions,
  signInSteps,
} from "#drizzle/schema/index.ts";
import { sessionsConsole } from "./sessions.ts";
import { sendResetLink } from "#server/core/mail/notices/operator-notice.ts";
import { createResetLinkAtServer } from "#server/core/access/people/person-passwords.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aPasskeyOf, aTotp, totpCode } from "#server/testing/a-second-factor.ts";
import { call } from "#server/testing/call.ts";
import {
  aCompany,
  aDomain,
  aGroup,
  aMailbox,
  anAdmin,
  anAlias,
  anInboundAddress,
} from "#server/testing/factories.ts";

import { passwordResetConsole } from "./password-reset.ts";

const OLD = "correct horse battery";
const NEW = "staple thunder lantern";
const passwordHash = hash(OLD, { memoryCost: 1024, timeCost: 1 });

let addresses = 0;
const headersOf = (address = `203.0.113.${(addresses += 1)}`) => ({
  "sec-fetch-site": "same-origin",
  "x-forwarded-for": address,
});

async function aPerson(more: Parameters<typeof anAdmin>[1] = {}) {
  const company = await aCompany({ name: "Northwind" });
  const admin = await anAdmin(company.id, {
    passwordHash: await passwordHash,
    name: "Ann Lee",
    ...more,
  });
  return { ...admin, company };
}

async function mailsTo(email: string) {
  const rows = await db()
    .select({ email: emails, body: emailBodies })
    .from(emails)
    .innerJoin(emailBodies, eq(emailBodies.emailId, emails.id));
  return rows.filter((row) => row.email.to.some((to) => to.includes(email)));
}

const tokenIn = (text: string) => /#([\w-]{43})/.exec(text)![1]!;

async function aLink(email: string) {
  await sendResetLink(db(), email);
  return tokenIn((await mailsTo(email)).at(-1)!.body.text!);
}

const jobsFor = async (email: string) =>
  (
    await db().execute<{ task: string }>(
      `select task_identifier as task from graphile_worker.jobs where key = 'send_reset_link:${email}'`,
    )
  ).length;

const reset = (token: string, password = NEW, address?: string) =>
  call(passwordResetConsole.resetOwnPassword, {
    body: { token, password },
    headers: headersOf(address),
  });
const tryPassword = (email: string, password: string) =>
  call(sessionsConsole.signIn, { body: { email, password }, headers: headersOf() });

test("responds the same for every address and looks it up later", async () => {
  const { email } = await aPerson();
  const nobody = `${randomUUID()}@example.com`;
  for (const each of [email, nobody]) {
    const answered = await call(passwordResetConsole.requestReset, {
      body: { email: each },
      headers: headersOf(),
    });
    expect(answered).toMatchObject({ status: 200, body: { asked: true } });
    expect(await jobsFor(each)).toBe(1);
  }
  await sendResetLink(db(), nobody);
  expect(await mailsTo(nobody)).toEqual([]);
  expect(await db().select().from(signInSteps).where(eq(signInSteps.email, nobody))).toEqual([]);
});

test("the emailed link sets a password once and ends all sessions", async () => {
  const { id, email, company } = await aPerson();
  const elsewhere = await anAdmin((await aCompany()).id, { email });
  const cookies = [await startSession(db(), id), await startSession(db(), elsewhere.id)];
  const token = await aLink(email);
  const [mail] = await mailsTo(email);
  expect(mail).toMatchObject({ email: { subject: "Reset your password" } });
  expect(mail!.body.text).toContain("/console/reset-password#");

  const check = await call(passwordResetConsole.checkResetLink, {
    body: { token },
    headers: headersOf(),
  });
  expect(check.body).toEqual({ email, keepsFactors: true });
  expect((await reset(token, "short")).body).toMatchObject({
    message: "password: must have at least 12 characters",
  });
  expect((await reset(token, "northwind forever")).status).toBe(422);
  expect((await reset(token)).status).toBe(200);
  for (const cookie of cookies)
    expect((await call(sessionsConsole.getMe, { cookie: cookie.split(";")[0]! })).status).toBe(401);
  expect((await tryPassword(email, OLD)).status).toBe(401);
  expect((await tryPassword(email, NEW)).status).toBe(200);
  expect((await reset(token, "another good secret")).status).toBe(404);

  for (const companyId of [company.id, elsewhere.companyId]) {
    const entries = await db()
      .select()
      .from(auditEntries)
      .where(eq(auditEntries.companyId, companyId));
    expect(entries.map(({ action }) => action)).toContain("admin.password_reset");
    expect(JSON.stringify(entries)).not.toContain(token);
  }
});

test("keeps second factors", async () => {
  const { email } = await aPerson();
  const { secret } = await aTotp(email);
  const before = (await personOf(email)).emailProvenAt;
  await reset(await aLink(email));
  expect((await personOf(email)).emailProvenAt).toBe(before);
  const first = await tryPassword(email, NEW);
  expect(first.body).toMatchObject({ signedIn: false, secondFactor: { totp: true } });
  const cookie = first.headers.getSetCookie()[0]!.split(";")[0]!;
  const body = { code: totpCode(secret) };
  expect(
    (await call(sessionsConsole.secondFactor, { body, headers: { ...headersOf(), cookie } }))
      .status,
  ).toBe(200);
});

const personOf = async (email: string) =>
  (await db().select().from(people).where(eq(people.email, email)))[0]!;

test("for an unverified address, the link also removes factors, codes and sessions and verifies it", async () => {
  const { id, email, company } = await aPerson({ emailProvenAt: null });
  await aTotp(email);
  await aPasskeyOf(email);
  const stranger = (await startSession(db(), id)).split(";")[0]!;
  const token = await aLink(email);
  const check = await call(passwordResetConsole.checkResetLink, {
    body: { token },
    headers: headersOf(),
  });
  expect(check.body).toEqual({ email, keepsFactors: false });
  expect((await reset(token)).status).toBe(200);

  expect((await call(sessionsConsole.getMe, { cookie: stranger })).status).toBe(401);
  expect(await db().$count(passkeys, eq(passkeys.email, email))).toBe(0);
  expect(await db().$count(recoveryCodes, eq(recoveryCodes.email, email))).toBe(0);
  expect((await tryPassword(email, NEW)).body).toMatchObject({ signedIn: true });
  const entries = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.companyId, company.id));
  const detailsOf = (action: string) => entries.find((each) => each.action === action)?.details;
  expect(detailsOf("admin.password_reset")).toMatchObject({ email, addressConfirmed: true });
  expect(detailsOf("second_factor.all_removed")).toMatchObject({ email });

  // From now on the address is confirmed, and so are the factors.
  await aTotp(email);
  await reset(await aLink(email), "yet another secret");
  expect((await tryPassword(email, "yet another secret")).body).toMatchObject({ signedIn: false });
});

test.each([
  ["a mailbox", (domain) => aMailbox(domain, { address: `ann@${domain.name}` })],
  [
    "an alias",
    async (domain) => anAlias(domain, (await aMailbox(domain)).address, `ann@${domain.name}`),
  ],
  ["a group", (domain) => aGroup(domain, { address: `ann@${domain.name}` })],
  ["an inbound address", (domain) => anInboundAddress(domain, `ann@${domain.name}`)],
  ["a catch-all", (domain) => anInboundAddress(domain, `*@${domain.name}`)],
] as [string, (domain: Awaited<ReturnType<typeof aDomain>>) => Promise<unknown>][])(
  "for an unverified address that is %s here, the link keeps factors and doesn't verify it",
  async (_, make) => {
    const domain = await aDomain((await aCompany()).id);
    const { email } = await aPerson({ email: `ann+x@${domain.name}`, emailProvenAt: null });
    await make(domain);
    await aTotp(email);
    await aPasskeyOf(email);
    const token = await aLink(email);
    const check = await call(passwordResetConsole.checkResetLink, {
      body: { token },
      headers: headersOf(),
    });
    expect(check.body).toEqual({ email, keepsFactors: true });
    expect((await reset(token)).status).toBe(200);
    expect(await db().$count(passkeys, eq(passkeys.email, email))).toBe(1);
    expect((await tryPassword(email, NEW)).body).toMatchObject({ signedIn: false });
    expect((await personOf(email)).emailProvenAt).toBeNull();
  },
);

test("verifies an address without factors and reports none removed", async () => {
  const { email, company } = await aPerson({ emailProvenAt: null });
  await reset(await aLink(email));
  expect((await personOf(email)).emailProvenAt).not.toBeNull();
  const removed = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.companyId, company.id));
  expect(removed.map(({ action }) => action)).not.toContain("second_factor.all_removed");
});

test("a link created on the server doesn't reveal the address", async () => {
  const { email } = await aPerson({ emailProvenAt: null });
  await aTotp(email);
  const { link } = await createResetLinkAtServer(db(), email, { withoutSecondFactor: false });
  const check = await call(passwordResetConsole.checkResetLink, {
    body: { token: tokenIn(link) },
    headers: headersOf(),
  });
  expect(check.body).toEqual({ email, keepsFactors: true });
  expect((await reset(tokenIn(link))).status).toBe(200);
  expect((await personOf(email)).emailProvenAt).toBeNull();
  expect((await tryPassword(email, NEW)).body).toMatchObject({ signedIn: false });
});

test("concurrent uses of a link set one password", async () => {
  const { email } = await aPerson();
  const token = await aLink(email);
  const answers = await Promise.all([reset(token), reset(token, "quite another secret")]);
  expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
});

test("rejects expired and invalid links and links of disabled admins", async () => {
  const { id, email } = await aPerson();
  const token = await aLink(email);
  expect((await reset("x".repeat(43))).status).toBe(404);
  await db().update(admins).set({ disabledAt: new Date().toISOString() }).where(eq(admins.id, id));
  expect((await reset(token)).status).toBe(404);
  await db().update(admins).set({ disabledAt: null }).where(eq(admins.id, id));
  await db()
    .update(signInSteps)
    .set({ expiresAt: "2026-01-01 00:00:00+00" })
    .where(eq(signInSteps.email, email));
  expect((await reset(token)).body).toMatchObject({
    message: "This link has expired or was already used. Request a new one",
  });
});

test("sends three links an hour, only to admins who can sign in", async () => {
  const { id, email } = await aPerson();
  for (let n = 0; n < 5; n++) await sendResetLink(db(), email);
  expect(await mailsTo(email)).toHaveLength(3);

  const off = await aPerson();
  await db()
    .update(admins)
    .set({ disabledAt: new Date().toISOString() })
    .where(eq(admins.id, off.id));
  await sendResetLink(db(), off.email);
  expect(await mailsTo(off.email)).toEqual([]);
  expect(id).not.toBe(off.id);
});

test("throttles requests and guesses", async () => {
  const { email } = await aPerson();
  const address = "203.0.113.250";
  const statuses = [];
  for (let n = 0; n < 12; n++)
    statuses.push(
      (
        await call(passwordResetConsole.requestReset, {
          body: { email },
          headers: headersOf(address),
        })
      ).status,
    );
  expect(statuses.filter((status) => status === 200)).toHaveLength(10);

  const guesses = [];
  for (let n = 0; n < 12; n++)
    guesses.push((await reset(`guess-${n}`, NEW, "203.0.113.251")).status);
  expect(guesses.filter((status) => status === 404)).toHaveLength(10);
  expect(guesses.at(-1)).toBe(429);
  // Correct passwords are not counted.
  const token = await aLink(email);
  for (let n = 0; n < 12; n++)
    expect((await reset(token, "short", "203.0.113.252")).status).toBe(422);
});

test("the CLI creates links for admins who can sign in, and can remove lost factors", async () => {
  const { id, email, company } = await aPerson();
  await aTotp(email);
  await startSession(db(), id);
  const kept = await createResetLinkAtServer(db(), ` ${email.toUpperCase()}`, {
    withoutSecondFactor: false,
  });
  expect((await reset(tokenIn(kept.link))).status).toBe(200);
  expect((await tryPassword(email, NEW)).body).toMatchObject({ signedIn: false });

  const made = await createResetLinkAtServer(db(), email, { withoutSecondFactor: true });
  expect(await db().select().from(sessions).where(eq(sessions.userId, id))).toEqual([]);
  expect((await reset(tokenIn(made.link), "yet another secret")).status).toBe(200);
  expect((await tryPassword(email, "yet another secret")).body).toMatchObject({ signedIn: true });
  const entries = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.companyId, company.id));
  expect(entries.map(({ action }) => action)).toEqual(
    expect.arrayContaining(["admin.reset_link_made", "second_factor.all_removed"]),
  );
  await expect(
    createResetLinkAtServer(db(), "nobody@example.com", { withoutSecondFactor: true }),
  ).rejects.toThrow("No admin signs in with");
  await db().delete(outbox);
});
