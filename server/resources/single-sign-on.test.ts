import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test, vi } from "vitest";

import { adminIdentities, admins, people } from "#drizzle/schema/index.ts";
import { profileConsole } from "#server/resources/profile.ts";
import { sessionsConsole } from "#server/resources/sessions.ts";
import { settingsConsole } from "#server/resources/settings.ts";
import {
  changeProviderSettings,
  findIdentityProvider,
} from "#server/core/access/single-sign-on/providers.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { STARTS_PER_PROVIDER_AND_SOURCE_MAX } from "#server/core/access/sign-in/throttle.ts";
import { db } from "#server/db/pool.ts";
import { aTotp, middleOfStep, totpCode } from "#server/testing/a-second-factor.ts";
import { aTrustedProvider } from "#server/testing/a-trusted-provider.ts";
import type { TestProvider } from "#server/testing/an-identity-provider.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aContext, anAdmin } from "#server/testing/factories.ts";
import {
  aConnectedCompany,
  actionsOf,
  adminOf,
  cookies,
  finish,
  linksOf,
  messageOf,
  newAddress,
  own,
  PASSWORD,
  start,
  statusOfMe,
} from "#server/testing/single-sign-on.ts";

import { singleSignOnConsole } from "./single-sign-on.ts";

let provider: TestProvider;
beforeAll(async () => {
  provider = await aTrustedProvider();
});
afterAll(() => provider.close());
beforeEach(() => {
  provider.script = { claims: {}, usesForeignKey: false };
});

/** Goes to the provider and comes back as the user. */
async function goThrough(email: string, user: Record<string, unknown>) {
  provider.user = user;
  const started = await start({ email });
  expect(started.status).toBe(200);
  const { url } = started.body as { url: string };
  return { step: cookies(started)[0]!, url, response: provider.authorize(url) };
}

async function signInWith(email: string, user: Record<string, unknown>) {
  const { step, response } = await goThrough(email, user);
  const answered = await finish(step, response);
  return { answered, cookie: cookies(answered)[0] ?? "" };
}

test("signs an admin in, links the account, and then recognizes it by its subject", async () => {
  const { company, email, user } = await aConnectedCompany(provider);
  const { answered, cookie } = await signInWith(email, { ...user, email: email.toUpperCase() });
  expect(answered).toMatchObject({
    status: 200,
    body: { signedIn: true, secondFactor: null },
  });
  expect((await call(sessionsConsole.getMe, { cookie })).body).toMatchObject({
    email,
    company: { name: "Alder" },
  });
  expect(await actionsOf(company.id)).toEqual(
    expect.arrayContaining([
      "single_sign_on.connected",
      "single_sign_on.linked",
      "session.started",
    ]),
  );

  // An address can change or be given to someone else; the subject can't.
  const renamed = await signInWith(email, { sub: user.sub, email: "new@elsewhere.example" });
  expect((await call(sessionsConsole.getMe, { cookie: renamed.cookie })).body).toMatchObject({
    email,
  });
  const other = await signInWith(email, { ...user, sub: randomUUID() });
  expect(other.answered.status).toBe(403);
  expect(messageOf(other.answered)).toContain(
    "Another account at your identity provider is linked",
  );
});

test("the same account can sign in twice at the same time", async () => {
  const { company, owner, email, user } = await aConnectedCompany(provider);
  const { step, response } = await goThrough(email, user);
  const { id: providerId } = (await findIdentityProvider(aContext(company.id)))!;
  let second: ReturnType<typeof finish> | undefined;
  await db().transaction(async (tx) => {
    await tx.insert(adminIdentities).values({ providerId, subject: user.sub, adminId: owner.id });
    second = finish(step, response);
    const isWaiting = sql`select 1 from pg_stat_activity where datname = current_database()
      and wait_event_type = 'Lock' and query like 'insert into "admin_identities"%'`;
    await expect.poll(() => db().execute(isWaiting)).toHaveLength(1);
  });
  expect(await second).toMatchObject({ status: 200 });
});

test("the sign-in link works for admins with an address elsewhere", async () => {
  const { company, cookie } = await aConnectedCompany(provider);
  const { email } = await anAdmin(company.id);
  const { body } = await call(singleSignOnConsole.get, { cookie });
  const link = (body as { provider: { signInUrl: string } }).provider.signInUrl;
  const id = new URL(link).searchParams.get("provider")!;
  provider.user = { sub: randomUUID(), email, email_verified: true };
  const started = await start({ providerId: id });
  const response = provider.authorize((started.body as { url: string }).url);
  const answered = await finish(cookies(started)[0]!, response);
  expect((await call(sessionsConsole.getMe, { cookie: cookies(answered)[0]! })).body).toMatchObject(
    { email },
  );
});

test.each<[string, Record<string, unknown>]>([
  ["nonce", { nonce: "another" }],
  ["issuer", { iss: "https://another.example" }],
  ["audience", { aud: "another" }],
  ["lifetime", { iat: 1_600_000_000, exp: 1_600_000_300 }],
])("rejects an ID token with a wrong %s", async (_, claims) => {
  const { email, user } = await aConnectedCompany(provider);
  provider.script.claims = claims;
  const { answered } = await signInWith(email, user);
  expect(answered.status).toBe(403);
  expect(messageOf(answered)).toContain("its ID token isn't valid for this sign-in");
  expect(cookies(answered)).toEqual([]);
});

test("rejects an ID token that another key signed", async () => {
  const { email, user } = await aConnectedCompany(provider);
  provider.script.usesForeignKey = true;
  expect((await signInWith(email, user)).answered.status).toBe(403);
});

test("rejects a response of another issuer, another attempt or another browser, and a replay", async () => {
  const { email, user } = await aConnectedCompany(provider);
  const first = await goThrough(email, user);
  const second = await goThrough(email, user);
  const mixed = { ...first.response, iss: "https://another.example" };
  expect((await finish(first.step, mixed)).status).toBe(403);
  expect((await finish(second.step, first.response)).status).toBe(401);
  expect((await finish("", second.response)).status).toBe(401);
  // Another attempt's code, with this attempt's state: the verifier doesn't match.
  const third = await goThrough(email, user);
  const stolen = { ...second.response, code: third.response.code };
  expect((await finish(second.step, stolen)).status).toBe(403);

  const fourth = await goThrough(email, user);
  expect((await finish(fourth.step, fourth.response)).status).toBe(200);
  const fresh = provider.authorize(fourth.url);
  for (const response of [fourth.response, fresh])
    expect(await finish(fourth.step, response)).toMatchObject({ status: 401 });
});

test.each<[string, Record<string, unknown>, string]>([
  ["an unverified address", { email_verified: false }, "hasn't verified your email address"],
  ["no address", { email: undefined }, "hasn't verified your email address"],
  ["someone else", { email: "eve@elsewhere.example" }, "has no access to this company"],
])("rejects %s", async (_, claims, message) => {
  const { email, user } = await aConnectedCompany(provider);
  const { answered } = await signInWith(email, { ...user, ...claims });
  expect(answered.status).toBe(403);
  expect(messageOf(answered)).toContain(message);
});

test("a provider vouches only for admins of its company", async () => {
  const theirs = await aConnectedCompany(provider);
  const { email, user } = await aConnectedCompany(provider);
  const { answered } = await signInWith(email, { ...user, email: theirs.email });
  expect(answered.status).toBe(403);
  expect(await linksOf(theirs.owner.id)).toHaveLength(0);

  // A person with two companies, one of them an operator's.
  await anAdmin(theirs.company.id, { email });
  await db().update(people).set({ isOperator: true }).where(eq(people.email, email));
  const passwordCookie = (
    await startSession(db(), (await adminOf(theirs.company.id, email))!)
  ).split(";")[0]!;
  const { cookie } = await signInWith(email, user);
  const me = (await call(sessionsConsole.getMe, { cookie })).body as {
    companies: unknown[];
    isOperator: boolean;
  };
  expect(me).toMatchObject({ isOperator: false, companies: [{ name: "Alder" }] });
  expect(me.companies).toHaveLength(1);
  const profile = (await call(profileConsole.get, { cookie })).body as { companies: unknown[] };
  expect(profile.companies).toMatchObject([{ name: "Alder" }]);
  expect(profile.companies).toHaveLength(1);
  const params = { id: theirs.company.id };
  expect(await call(sessionsConsole.switchCompany, { cookie, params })).toMatchObject({
    status: 403,
  });
  const sessionsOf = async (cookie: string) =>
    ((await call(profileConsole.listOwnSessions, { cookie })).body as { data: unknown[] }).data
      .length;
  expect((await sessionsOf(passwordCookie)) - (await sessionsOf(cookie))).toBe(1);
});

test("owners change only the provider of their company", async () => {
  const theirs = await aConnectedCompany(provider);
  const { cookie: theirSession } = await signInWith(theirs.email, theirs.user);
  const before = await findIdentityProvider(aContext(theirs.company.id));
  const { company, cookie } = await aConnectedCompany(provider);
  // An admin of both companies, linked only in the other one.
  await anAdmin(company.id, { email: theirs.email });

  const { issuer, clientId } = provider;
  const secret = { issuer, clientId, clientSecret: "new" };
  expect((await call(singleSignOnConsole.save, { cookie, body: secret })).status).toBe(200);
  const counts = { isSecondFactor: true };
  expect((await call(singleSignOnConsole.update, { cookie, body: counts })).status).toBe(200);
  const linked = { email: theirs.email };
  expect((await call(singleSignOnConsole.unlinkAdmin, { cookie, body: linked })).status).toBe(404);
  expect((await call(singleSignOnConsole.remove, { cookie })).status).toBe(200);

  expect(await findIdentityProvider(aContext(theirs.company.id))).toEqual(before);
  expect(await linksOf(theirs.owner.id)).toHaveLength(1);
  expect(await statusOfMe(theirSession)).toBe(200);
});

test("suspended and removed admins can't sign in", async () => {
  const { company, domain } = await aConnectedCompany(provider);
  const { id, email } = await anAdmin(company.id, { email: `ben@${domain.name}` });
  const user = { sub: randomUUID(), email, email_verified: true };
  const { cookie } = await signInWith(email, user);
  expect(await statusOfMe(cookie)).toBe(200);
  await db().update(admins).set({ disabledAt: new Date().toISOString() }).where(eq(admins.id, id));
  expect(await statusOfMe(cookie)).toBe(401);
  expect((await signInWith(email, user)).answered.status).toBe(403);
  await db().delete(admins).where(eq(admins.id, id));
  expect((await signInWith(email, user)).answered.status).toBe(403);
});

test("requiring single sign-on rejects password sessions until it is optional again; only an owner who signed in with it can require it", async () => {
  const { company, email, cookie, user } = await aConnectedCompany(provider);
  const required = { requiredForAdmins: true };
  expect(await call(singleSignOnConsole.update, { cookie, body: required })).toMatchObject({
    status: 403,
  });
  const { cookie: single } = await signInWith(email, user);
  expect((await call(singleSignOnConsole.update, { cookie: single, body: required })).status).toBe(
    200,
  );

  expect(await statusOfMe(cookie)).toBe(401);
  expect(await statusOfMe(single)).toBe(200);
  const withPassword = (password: string) =>
    call(sessionsConsole.signIn, {
      body: { email, password },
      headers: { ...own, "x-forwarded-for": newAddress() },
    });
  expect(await withPassword("wrong horse battery")).toMatchObject({ status: 401 });
  const rejected = await withPassword(PASSWORD);
  expect(rejected.status).toBe(403);
  expect(messageOf(rejected)).toContain("Your company requires single sign-on");
  const { issuer, clientId } = provider;
  const another = { issuer, clientId: `${clientId}-2`, clientSecret: "new" };
  expect((await call(singleSignOnConsole.save, { cookie: single, body: another })).status).toBe(
    403,
  );
  expect((await call(singleSignOnConsole.remove, { cookie: single })).status).toBe(403);

  // In another company, the password still works, but it doesn't lead back here.
  const elsewhere = await anAdmin((await aCompany()).id, { email });
  const [session] = cookies(await withPassword(PASSWORD));
  expect((await call(sessionsConsole.getMe, { cookie: session! })).body).toMatchObject({
    company: { id: elsewhere.companyId },
  });
  const back = await call(sessionsConsole.switchCompany, {
    cookie: session!,
    params: { id: company.id },
  });
  expect(messageOf(back)).toContain("Alder requires single sign-on");

  // As `posthouse company allow-passwords` does.
  const ctx = aContext(company.id);
  await changeProviderSettings(ctx, null, { requiredForAdmins: false });
  expect(await statusOfMe(cookie)).toBe(200);
});

test("asks for the admin's second factor unless the provider counts as one", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: middleOfStep() });
  const { email, cookie, user } = await aConnectedCompany(provider);
  const { secret } = await aTotp(email);
  const { answered, cookie: step } = await signInWith(email, user);
  expect(answered.body).toMatchObject({ signedIn: false, secondFactor: { totp: true } });
  const second = await call(sessionsConsole.secondFactor, {
    body: { code: totpCode(secret) },
    headers: { ...own, cookie: step, "x-forwarded-for": newAddress() },
  });
  const single = cookies(second)[0]!;
  const { body } = await call(singleSignOnConsole.get, { cookie: single });
  expect(body).toMatchObject({ provider: { isUsedNow: true } });

  await call(singleSignOnConsole.update, { cookie, body: { isSecondFactor: true } });
  expect((await signInWith(email, user)).answered.body).toMatchObject({ signedIn: true });
  vi.useRealTimers();
});

test("a required second factor is due after single sign-on too, unless the provider counts as one", async () => {
  const { company, domain, email, cookie, user } = await aConnectedCompany(provider);
  await aTotp(email);
  const settings = { secondFactorRequired: true };
  expect((await call(settingsConsole.update, { cookie, body: settings })).status).toBe(200);
  const ben = await anAdmin(company.id, { email: `ben@${domain.name}` });
  const benAt = { ...user, sub: randomUUID(), email: ben.email };
  const { cookie: single } = await signInWith(ben.email, benAt);
  const isDue = async (session: string) =>
    (await call(sessionsConsole.getMe, { cookie: session })).body;
  expect(await isDue(single)).toMatchObject({ secondFactorDue: true });
  await call(singleSignOnConsole.update, { cookie, body: { isSecondFactor: true } });
  expect(await isDue(single)).toMatchObject({ secondFactorDue: false });
  const withPassword = (await startSession(db(), ben.id)).split(";")[0]!;
  expect(await isDue(withPassword)).toMatchObject({ secondFactorDue: true });
});

test("only owners change the provider, whose secret is never shown", async () => {
  const { company, cookie, email, user } = await aConnectedCompany(provider);
  const admin = await anAdmin(company.id, { privileges: ["manage_settings", "manage_admins"] });
  const other = (await startSession(db(), admin.id)).split(";")[0]!;
  const shown = await call(singleSignOnConsole.get, { cookie: other });
  expect(shown.body).toMatchObject({ provider: { issuer: provider.issuer } });
  expect(JSON.stringify(shown.body)).not.toContain(provider.clientSecret);
  for (const endpoint of [
    singleSignOnConsole.check,
    singleSignOnConsole.save,
    singleSignOnConsole.update,
    singleSignOnConsole.unlinkAdmin,
    singleSignOnConsole.remove,
  ])
    expect((await call(endpoint, { cookie: other, body: {} })).status).toBe(403);
  const reader = await anAdmin(company.id, { privileges: ["manage_admins"] });
  const without = (await startSession(db(), reader.id)).split(";")[0]!;
  expect((await call(singleSignOnConsole.get, { cookie: without })).status).toBe(403);

  // A wrong secret only shows at the sign-in.
  const { issuer, clientId } = provider;
  await call(singleSignOnConsole.save, { cookie, body: { issuer, clientId, clientSecret: "old" } });
  const { answered } = await signInWith(email, user);
  expect(messageOf(answered)).toContain("it rejected the client ID or client secret");
});

test("unlinking an admin and removing the provider end the sessions that the provider started", async () => {
  const { email, cookie, user } = await aConnectedCompany(provider);
  const first = await signInWith(email, user);
  expect((await call(singleSignOnConsole.unlinkAdmin, { cookie, body: { email } })).status).toBe(
    200,
  );
  expect((await call(singleSignOnConsole.unlinkAdmin, { cookie, body: { email } })).status).toBe(
    404,
  );
  expect(await statusOfMe(first.cookie)).toBe(401);
  const second = await signInWith(email, { ...user, sub: randomUUID() });
  expect(await statusOfMe(second.cookie)).toBe(200);
  const pending = await goThrough(email, user);
  expect((await call(singleSignOnConsole.remove, { cookie })).status).toBe(200);
  expect(await statusOfMe(second.cookie)).toBe(401);
  expect((await finish(pending.step, pending.response)).status).toBe(401);
  expect(await statusOfMe(cookie)).toBe(200);
});

test("unlinking an admin ends a sign-in that waits for the second factor", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: middleOfStep() });
  const { email, cookie, user } = await aConnectedCompany(provider);
  const { secret } = await aTotp(email);
  const { cookie: step } = await signInWith(email, user);
  expect((await call(singleSignOnConsole.unlinkAdmin, { cookie, body: { email } })).status).toBe(
    200,
  );
  const second = await call(sessionsConsole.secondFactor, {
    body: { code: totpCode(secret) },
    headers: { ...own, cookie: step, "x-forwarded-for": newAddress() },
  });
  expect(second.status).toBe(401);
  vi.useRealTimers();
});

test("checks the issuer, and explains what is wrong with it", async () => {
  const { cookie } = await aConnectedCompany(provider);
  const check = (issuer: string) => call(singleSignOnConsole.check, { cookie, body: { issuer } });
  const typed = `${provider.issuer}/.well-known/openid-configuration`;
  expect((await check(typed)).body).toMatchObject({
    issuer: provider.issuer,
    tokenEndpoint: `${provider.issuer}/token`,
  });
  for (const [issuer, message] of [
    ["http://id.example.com", "must be an https URL"],
    ["https://login.microsoftonline.com/common/v2.0", "must name your tenant"],
    ["https://10.0.0.1", "Couldn't connect to 10.0.0.1: its address is private"],
    [`${provider.issuer}/realms/other`, "isn't valid for OpenID Connect"],
  ] as const) {
    const answered = await check(issuer);
    expect(answered.status).toBe(422);
    expect(messageOf(answered)).toContain(message);
    expect(answered.body).toMatchObject({ fields: [{ path: "issuer" }] });
  }
});

test("starting a sign-in reveals no address, and is limited until it succeeds, apart from passwords", async () => {
  const { email, domain, user, company } = await aConnectedCompany(provider);
  expect((await start({ email: `nobody@${domain.name}` })).status).toBe(200);
  expect((await start({ email: `nobody@${randomUUID()}.example` })).status).toBe(404);
  expect(messageOf(await start({ providerId: randomUUID() }))).toContain("link no longer works");

  const address = newAddress();
  const { id } = (await findIdentityProvider(aContext(company.id)))!;
  const pending = await start({ providerId: id }, address);
  // Others behind the same address.
  await db().execute(sql`insert into sign_in_attempts (email, source)
    select email, source from sign_in_attempts, generate_series(3, ${STARTS_PER_PROVIDER_AND_SOURCE_MAX}) where email = ${id}`);
  expect((await start({ email }, address)).status).toBe(200);
  expect((await start({ providerId: id }, address)).status).toBe(429);
  const headers = { ...own, "x-forwarded-for": address };
  expect(
    (await call(sessionsConsole.signIn, { body: { email, password: PASSWORD }, headers })).status,
  ).toBe(200);
  provider.user = user;
  const response = provider.authorize((pending.body as { url: string }).url);
  expect((await finish(cookies(pending)[0]!, response)).status).toBe(200);
  expect((await start({ email }, address)).status).toBe(200);
});
