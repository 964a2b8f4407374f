import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, onTestFinished, test } from "vitest";

import {
  auditEntries,
  companies,
  forwardSuspensions,
  mailboxes,
  orgUnits,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { listAppPasswords } from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { selectShownMailboxes } from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { accountEndpoints } from "#server/resources/pages.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";
import { putScript, signIn } from "#server/testing/mail-app.ts";

import { appPasswordsAccount, setUpAccount } from "./mail-apps.ts";
import { rulesAccount } from "./rules.ts";
import { sessionsAccount } from "./sessions.ts";

const PASSWORD = "test password";
const NEXT = "seven green umbrellas";
const shown = { currentPassword: PASSWORD };

let dovecot: TestDovecot;
const own = { ...config() };

beforeAll(async () => {
  dovecot = await aDovecot();
});

beforeEach(() => {
  config().dataFolder = dovecot.dataFolder;
});

afterAll(async () => {
  Object.assign(config(), own);
  await dovecot.stop();
});

let addresses = 0;

/** An address that no other test signs in from. */
const newAddress = () => `192.0.2.${(addresses += 1)}`;

async function aPerson(overrides: Partial<typeof mailboxes.$inferInsert> = {}) {
  const company = await aCompany({ name: "Northwind" });
  const domain = await aDomain(company.id);
  return { company, domain, ...(await aMailbox(domain, overrides)) };
}

const trySignIn = (
  address: string,
  { password = PASSWORD, from = newAddress(), cookie = "" } = {},
) =>
  call(sessionsAccount.signIn, {
    body: { address, password },
    headers: {
      "sec-fetch-site": "same-origin",
      "x-forwarded-for": from,
      "user-agent": "Firefox/1",
      ...(cookie && { cookie }),
    },
  });

const cookieOf = (answered: { headers: Headers }) =>
  answered.headers.get("set-cookie")!.split(";")[0]!;

async function signedIn(overrides: Parameters<typeof aPerson>[0] = {}) {
  const person = await aPerson(overrides);
  const cookie = cookieOf(await trySignIn(person.address));
  return { ...person, cookie };
}

const change = (cookie: string, current: string, password: string) =>
  call(sessionsAccount.changePassword, {
    cookie,
    body: { currentPassword: current, password },
  });

describe("signing in", () => {
  test("with the right password starts a session for the pages only", async () => {
    const person = await aPerson();
    const answered = await trySignIn(` ${person.address.toUpperCase()} `);
    expect(answered.status).toBe(200);
    expect(answered.headers.get("set-cookie")).toMatch(
      /^posthouse_account=\w+; HttpOnly; (?=.*Path=\/;)(?=.*SameSite=Lax)/i,
    );
    const me = await call(sessionsAccount.getMe, { cookie: cookieOf(answered) });
    expect(me.body).toMatchObject({
      address: person.address,
      name: "Ann Example",
      company: "Northwind",
      mustChangePassword: false,
      quotaBytes: 268_435_456,
      usedBytes: 0,
      allows: { appPasswords: true, forwardingOutside: true, calendar: false },
      passwordLengthMin: 12,
      showsQuarantine: false,
    });
  });

  test("counts as the mailbox's last sign-in in the console, but not as one with a mail app", async () => {
    const { address, domain } = await aPerson();
    const ctx = aContext(domain.companyId);
    const lastSignIns = async () => {
      const [mailbox] = await selectShownMailboxes(ctx).where(eq(mailboxes.address, address));
      return mailbox!;
    };
    await trySignIn(address, { password: "not the password" });
    expect(await lastSignIns()).toMatchObject({ lastSignInAt: null, lastMailAppAt: null });

    await trySignIn(address);
    const { lastSignInAt, lastMailAppAt } = await lastSignIns();
    expect(Math.abs(Date.parse(lastSignInAt!) - Date.now())).toBeLessThan(60_000);
    expect(lastMailAppAt).toBeNull();
  });

  test("with https, sets a cookie that no other host can set", async () => {
    config().baseUrl = "https://mail.example.com";
    const { address } = await aPerson();
    const answered = await trySignIn(address);
    expect(answered.headers.get("set-cookie")).toMatch(
      /^__Host-posthouse_account=\w+; HttpOnly; (?=.*Path=\/;)(?=.*Secure)(?!.*Domain)/i,
    );
    expect((await call(sessionsAccount.getMe, { cookie: cookieOf(answered) })).status).toBe(200);
    const forged = cookieOf(answered).replace("__Host-", "");
    expect((await call(sessionsAccount.getMe, { cookie: forged })).status).toBe(401);
    config().baseUrl = own.baseUrl;
  });

  test("wrong passwords and unknown addresses get the same response", async () => {
    const person = await aPerson();
    const wrong = await trySignIn(person.address, { password: "wrong" });
    const unknown = await trySignIn(`x${person.address}`);
    expect(wrong).toMatchObject({ status: 401, body: { name: "wrong_credentials" } });
    expect(unknown.body).toEqual(wrong.body);
    expect(wrong.headers.get("set-cookie")).toBeNull();
  });

  test("throttles guesses and returns the time to wait", async () => {
    const person = await aPerson();
    const from = newAddress();
    let last = await trySignIn(person.address, { password: "wrong 0", from });
    for (let i = 1; i < 60 && last.status === 401; i++)
      last = await trySignIn(person.address, { password: `wrong ${i}`, from });
    expect(last).toMatchObject({
      status: 429,
      body: { name: "rate_limit_exceeded", message: expect.stringMatching(/minutes$/) as string },
    });
    expect(Number(last.headers.get("retry-after"))).toBeGreaterThan(60);
  });

  test("ends the browser's previous session, and signing out the current one", async () => {
    const { address, cookie } = await signedIn();
    const second = cookieOf(await trySignIn(address, { cookie }));
    expect((await call(sessionsAccount.getMe, { cookie })).status).toBe(401);
    const out = await call(sessionsAccount.signOut, { cookie: second });
    expect(out.headers.get("set-cookie")).toMatch(/Max-Age=0/);
    expect((await call(sessionsAccount.getMe, { cookie: second })).status).toBe(401);
  });

  test("app passwords can't sign in to the pages", async () => {
    const { address, cookie } = await signedIn();
    const made = await call(appPasswordsAccount.create, {
      cookie,
      body: { ...shown, name: "Phone" },
    });
    const { secret } = made.body as { secret: string };
    expect(await trySignIn(address, { password: secret })).toMatchObject({ status: 403 });
  });

  test("suspending a mailbox or company signs it out and blocks sign-in", async () => {
    const suspended = { suspendedAt: new Date().toISOString() };
    const [mailbox, employee] = [await signedIn(), await signedIn()];
    await db().update(mailboxes).set(suspended).where(eq(mailboxes.address, mailbox.address));
    await db().update(companies).set(suspended).where(eq(companies.id, employee.company.id));
    for (const { cookie, address } of [mailbox, employee]) {
      expect((await call(sessionsAccount.getMe, { cookie })).status).toBe(401);
      expect((await trySignIn(address)).status).not.toBe(200);
    }
  });
});

describe("every endpoint", () => {
  const fill = (endpoint: AnyEndpoint) => ({
    params: { id: endpoint.path.includes("sessions") ? "0".repeat(32) : crypto.randomUUID() },
    ...(endpoint.body && { body: {} }),
  });
  const behind = accountEndpoints.filter(
    ({ permission }) => permission !== "public" && permission !== "same_origin",
  );

  test.each(behind.map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const))(
    "%s requires a session",
    async (_, endpoint) => {
      const nobody = await call(endpoint, { ...fill(endpoint), cookie: "posthouse_account=x" });
      expect(nobody).toMatchObject({ status: 401, body: { name: "not_signed_in" } });
    },
  );

  test.each(
    behind
      .filter(({ permission }) => permission === "account")
      .map((endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint] as const),
  )("%s requires a pending password change to be done first", async (_, endpoint) => {
    const { cookie } = await signedIn({ forcePasswordChange: true });
    const answered = await call(endpoint, { ...fill(endpoint), cookie });
    expect(answered).toMatchObject({ status: 403, body: { name: "must_change_password" } });
  });
});

describe("the password", () => {
  test("a required change unlocks the other endpoints and renews the session", async () => {
    const { address, cookie } = await signedIn({ forcePasswordChange: true });
    expect((await call(sessionsAccount.getMe, { cookie })).body).toMatchObject({
      mustChangePassword: true,
    });
    const changed = await change(cookie, PASSWORD, NEXT);
    expect(changed.status).toBe(200);
    const next = cookieOf(changed);
    expect((await call(sessionsAccount.getMe, { cookie })).status).toBe(401);
    expect((await call(rulesAccount.get, { cookie: next })).status).toBe(200);
    expect((await trySignIn(address)).status).toBe(401);
    expect((await trySignIn(address, { password: NEXT })).status).toBe(200);
  });

  test("changes only with the current password and ends other sessions, including mail apps", async () => {
    const { address, cookie } = await signedIn();
    const other = cookieOf(await trySignIn(address));
    const app = await signIn(dovecot.imap, address);
    const closed = new Promise((resolve) => app.once("close", resolve));

    expect(await change(cookie, "not it", NEXT)).toMatchObject({
      status: 422,
      body: { message: "The current password is incorrect" },
    });
    expect((await call(sessionsAccount.getMe, { cookie: other })).status).toBe(200);

    const next = cookieOf(await change(cookie, PASSWORD, NEXT));
    expect((await call(sessionsAccount.getMe, { cookie: other })).status).toBe(401);
    expect((await call(sessionsAccount.getMe, { cookie: next })).status).toBe(200);
    await closed;
  });

  test("must have the length that the unit requires", async () => {
    const { cookie, orgUnitId } = await signedIn();
    await db().update(orgUnits).set({ passwordLengthMin: 30 }).where(eq(orgUnits.id, orgUnitId));
    expect(await change(cookie, PASSWORD, NEXT)).toMatchObject({
      status: 422,
      body: { message: "password: must have at least 30 characters" },
    });
  });

  test("throttles guesses at the current password", async () => {
    const { cookie } = await signedIn();
    let last = await change(cookie, "wrong 0", NEXT);
    for (let i = 1; i < 60 && last.status === 422; i++)
      last = await change(cookie, `wrong ${i}`, NEXT);
    expect(last.status).toBe(429);
  });
});

describe("sessions", () => {
  type Listed = {
    browsers: { id: string; isThisOne: boolean; clientAddress: string; userAgent: string }[];
    mailApps: { clientAddress: string; services: string[]; connections: number }[] | null;
  };
  const list = async (cookie: string) =>
    (await call(sessionsAccount.listSessions, { cookie })).body as Listed;

  test("are listed with their details and ended one by one or all at once", async () => {
    const { address, cookie } = await signedIn();
    const other = cookieOf(await trySignIn(address));
    const app = await signIn(dovecot.imap, address);
    const closed = new Promise((resolve) => app.once("close", resolve));

    const { browsers, mailApps: apps } = await list(cookie);
    expect(browsers.map(({ isThisOne }) => isThisOne)).toEqual([false, true]);
    expect(browsers[0]).toMatchObject({ userAgent: "Firefox/1" });
    expect(apps).toEqual([{ clientAddress: "127.0.0.1", services: ["imap"], connections: 1 }]);
    // The listed ids can't be used as session tokens.
    for (const { id } of browsers)
      expect(
        (await call(sessionsAccount.getMe, { cookie: `posthouse_account=${id}` })).status,
      ).toBe(401);

    const stranger = await signedIn();
    const params = { id: browsers[0]!.id };
    expect(
      (await call(sessionsAccount.endSession, { cookie: stranger.cookie, params })).status,
    ).toBe(404);
    expect((await call(sessionsAccount.endSession, { cookie, params })).status).toBe(200);
    expect((await call(sessionsAccount.getMe, { cookie: other })).status).toBe(401);

    const at = (clientAddress: string) =>
      call(sessionsAccount.endMailAppSessions, { cookie, body: { clientAddress } });
    expect((await at("192.0.2.200")).status).toBe(404);
    expect((await at("* x")).status).toBe(422);
    expect((await at("127.0.0.1")).status).toBe(200);
    await closed;
    expect((await list(cookie)).mailApps).toEqual([]);

    const third = cookieOf(await trySignIn(address));
    expect((await call(sessionsAccount.endOtherSessions, { cookie })).status).toBe(200);
    expect((await call(sessionsAccount.getMe, { cookie: third })).status).toBe(401);
    expect((await call(sessionsAccount.getMe, { cookie })).status).toBe(200);
    expect((await call(sessionsAccount.getMe, { cookie: stranger.cookie })).status).toBe(200);
  });

  test("lists browsers when the mail server is unreachable", async () => {
    const { cookie } = await signedIn();
    config().dataFolder = "/nowhere";
    expect(await list(cookie)).toMatchObject({ browsers: [{}], mailApps: null });
    expect((await call(rulesAccount.listScripts, { cookie })).status).toBe(500);
    expect((await call(sessionsAccount.endOtherSessions, { cookie })).status).toBe(502);
  });
});

test("mailbox users create, list and delete their own app passwords", async () => {
  const { address, company, cookie } = await signedIn();
  const made = await call(appPasswordsAccount.create, {
    cookie,
    body: { ...shown, name: "Phone" },
  });
  const { id, secret } = made.body as { id: string; secret: string };
  await (await signIn(dovecot.imap, address, { password: secret })).logout();
  const { data } = (await call(appPasswordsAccount.list, { cookie })).body as {
    data: object[];
  };
  expect(data).toMatchObject([{ id, name: "Phone", scope: "all" }]);
  expect(JSON.stringify(data)).not.toContain(secret);

  for (const [scope, status] of [
    ["calendar", 200],
    ["ALL", 422],
    [null, 422],
    [["mail"], 422],
  ] as const) {
    const body = { ...shown, name: "Calendar", scope };
    expect([scope, (await call(appPasswordsAccount.create, { cookie, body })).status]).toEqual([
      scope,
      status,
    ]);
  }
  const [calendar, ...rest] = await listAppPasswords(aContext(company.id), address);
  expect(calendar).toMatchObject({ name: "Calendar", scope: "calendar" });
  expect(rest).toHaveLength(1);
  await call(appPasswordsAccount.delete, { cookie, params: { id: calendar!.id } });

  const other = (await signedIn()).cookie;
  expect((await call(appPasswordsAccount.delete, { cookie: other, params: { id } })).status).toBe(
    404,
  );
  expect((await call(appPasswordsAccount.delete, { cookie, params: { id } })).status).toBe(200);
  expect((await call(appPasswordsAccount.list, { cookie })).body).toEqual({ data: [] });
});

test("saves rules on behalf of the mailbox user and lists mail app scripts", async () => {
  const { address, company, cookie } = await signedIn();
  const body = { forwardTo: ["ben@example.org"], keepCopy: false };
  const saved = await call(rulesAccount.saveForwarding, {
    cookie,
    body: { ...body, ...shown },
  });
  expect(saved.body).toMatchObject({
    ...body,
    unconfirmedForwards: [{ address: "ben@example.org", isDeclined: false }],
  });
  expect((await call(rulesAccount.get, { cookie })).body).toMatchObject(body);
  const resend = { cookie, body: { address: "ben@example.org" } };
  expect((await call(rulesAccount.resendForwardRequest, resend)).status).toBe(429);
  const entries = await db()
    .select()
    .from(auditEntries)
    .where(
      and(eq(auditEntries.companyId, company.id), eq(auditEntries.action, "mailbox_rules.updated")),
    );
  expect(entries).toMatchObject([{ actor: address }]);

  await putScript(dovecot.sieve, address, "keep;");
  expect((await call(rulesAccount.listScripts, { cookie })).body).toEqual({
    data: [{ name: "own", isActive: true }],
  });
});

test("a suspended forward is shown with its reason, and resumed by the mailbox user or by adding it again", async () => {
  const { address, company, cookie } = await signedIn();
  const targets = ["a@dead.example", "b@dead.example"];
  const given = { dsn: "5.1.1", reply: "550 5.1.1 User unknown", suspendedAt: "2026-01-01" };
  await db()
    .insert(forwardSuspensions)
    .values(targets.map((target) => ({ mailbox: address, target, ...given })));
  const suspended = (body: unknown) =>
    (body as { suspendedForwards: { address: string }[] }).suspendedForwards;

  expect(suspended((await call(rulesAccount.get, { cookie })).body)).toEqual(
    targets.map((target) => ({
      address: target,
      suspendedAt: "2026-01-01T00:00:00.000Z",
      reason: "The mailbox does not exist.",
    })),
  );
  const one = await call(rulesAccount.resumeForwarding, {
    cookie,
    body: { address: "A@dead.example" },
  });
  expect(suspended(one.body)).toMatchObject([{ address: "b@dead.example" }]);
  await call(rulesAccount.resumeForwarding, { cookie, body: { address: "a@dead.example" } });
  const entries = await db()
    .select({ details: auditEntries.details })
    .from(auditEntries)
    .where(
      and(
        eq(auditEntries.companyId, company.id),
        eq(auditEntries.action, "mailbox_rules.forward_resumed"),
      ),
    );
  expect(entries).toEqual([{ details: { mailbox: address, address: "a@dead.example" } }]);

  const body = { ...shown, forwardTo: ["b@dead.example"], keepCopy: true };
  expect(suspended((await call(rulesAccount.saveForwarding, { cookie, body })).body)).toEqual([]);
});

test("mail app settings follow the policy when signed in, and the domain otherwise", async () => {
  const { calendar, baseUrl } = config();
  onTestFinished(() => void Object.assign(config(), { calendar, baseUrl }));
  Object.assign(config(), { calendar: { socketPath: "/x" }, baseUrl: "https://post.example" });
  const { address, orgUnitId, cookie } = await signedIn();
  const dav = [{ host: "post.example", port: 443, tls: "implicit" }];
  expect((await call(setUpAccount.getSetUp, { cookie })).body).toMatchObject({ dav });
  await db()
    .update(orgUnits)
    .set({ pop3Allowed: false, calendarAllowed: false })
    .where(eq(orgUnits.id, orgUnitId));
  expect((await call(setUpAccount.getSetUp, { cookie })).body).toMatchObject({
    address,
    pop3: [],
    dav: [],
    profilePath: "/account/apple.mobileconfig",
    imap: [{ port: config().ports.imaps, tls: "implicit" }, { tls: "starttls" }],
  });
  const known = await call(setUpAccount.getConnect, { query: { email: address } });
  const unknown = await call(setUpAccount.getConnect, { query: { email: `x${address}` } });
  expect(known.body).toMatchObject({ pop3: [{}, {}], dav });
  const { imap, pop3, smtp, sieve } = known.body as Record<string, unknown>;
  expect(unknown.body).toMatchObject({ imap, pop3, smtp, sieve });
  const elsewhere = await call(setUpAccount.getConnect, {
    query: { email: "x@elsewhere.example" },
  });
  expect(elsewhere.status).toBe(404);
});
