import { createHmac } from "node:crypto";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";

import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import {
  companies,
  identityProviders,
  type Mailbox,
  mailboxes,
  mailboxSessions,
  orgUnits,
  signInAttempts,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import {
  findAccountUser,
  startAccountSession,
} from "#server/core/access/sessions/account-sessions.ts";
import { webmailPassword } from "#server/core/access/sessions/webmail-password.ts";
import { ATTEMPTS_PER_ACCOUNT_MAX } from "#server/core/access/sign-in/throttle.ts";
import { chooseLanguage } from "#server/core/mailboxes/account/language.ts";
import { revokeSessions } from "#server/core/mailboxes/mailboxes/mailbox-sessions.ts";
import {
  authenticateMailbox,
  countDovecotAttempt,
  type MailService,
} from "#server/core/mailboxes/sign-in/mailbox-sign-in.ts";
import type { Context } from "#server/core/shared/context.ts";
import { derivedSecret } from "#server/core/shared/secrets/instance-key.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, aMailbox } from "#server/testing/factories.ts";
import { aTrackingServer } from "#server/testing/tracking-server.ts";

let web: Awaited<ReturnType<typeof aTrackingServer>>;
let roundcube: Server;
let ctx: Context;
let ann: Mailbox;
let cookie: string;

beforeAll(async () => {
  web = await aTrackingServer();
  roundcube = createServer((request, response) => {
    response.setHeader("set-cookie", "rc_session=1; path=/");
    response.setHeader("content-security-policy", "script-src 'none'");
    response.end(JSON.stringify({ url: request.url, ...request.headers }));
  }).listen(0, "127.0.0.1");
  await once(roundcube, "listening");
});
afterAll(async () => {
  await web.stop();
  roundcube.close();
});
beforeEach(async () => {
  config().webmail = { host: "127.0.0.1", port: (roundcube.address() as AddressInfo).port };
  ctx = aContext((await aCompany()).id);
  ann = await aMailbox(await aDomain(ctx.companyId));
  cookie = await aSession();
});

async function aSession(address = ann.address): Promise<string> {
  const from = { clientAddress: "127.0.0.1", userAgent: null };
  return (await startAccountSession(db(), address, from)).split(";")[0]!;
}

const signInTo = (next: string) => `/account/sign-in?next=${encodeURIComponent(next)}`;
const DOCUMENT = { "sec-fetch-dest": "document" };
const open = (path = "/webmail/", headers: Record<string, string> = {}) =>
  web.ask(path, { cookie, ...headers });
const passed = async (headers: Record<string, string> = {}) =>
  JSON.parse((await open("/webmail/", headers)).text) as IncomingHttpHeaders &
    Record<`x-posthouse-${"mailbox" | "password" | "session" | "client" | "language"}`, string>;
const enter = (password: string, service: MailService, username = ann.address) =>
  authenticateMailbox(db(), { username, password, clientAddress: "127.0.0.1", service });
const changeAnn = (change: Partial<Mailbox>) =>
  db().update(mailboxes).set(change).where(eq(mailboxes.address, ann.address));

test("signs the user in to Roundcube, without our cookies", async () => {
  const headers = await passed({
    cookie: `a=1; posthouse_session=c; ${cookie}; posthouse_account_step=s; rc_session=1`,
    "x-posthouse-mailbox": "eve@example.com",
    "accept-language": "de",
  });
  expect(headers).toMatchObject({
    url: "/webmail/",
    cookie: "a=1; rc_session=1",
    "x-posthouse-mailbox": ann.address,
    "x-posthouse-user": ann.store,
    "x-posthouse-password": expect.stringMatching(/^webmail-[\w-]{43}$/) as string,
    "x-posthouse-session": expect.stringMatching(/^[0-9a-f]{32}$/) as string,
    "x-posthouse-client": "127.0.0.1",
    "x-posthouse-language": "de",
  });
  await chooseLanguage(ctx, ann.address, "en");
  expect((await passed({ "accept-language": "de" }))["x-posthouse-language"]).toBe("en");
  const { text } = await open("/webmail/skins/a.css");
  expect(text).not.toContain("x-posthouse-");
  expect(await open("/webmail")).toMatchObject({ status: 302, headers: { location: "/webmail/" } });
  for (const path of ["/webmail/../dav/", "/webmail/a/%2e%2E/x", "/webmail/."])
    expect((await open(path)).status).toBe(404);
});

test("its password works only for IMAP, sending and filters, and only for twelve hours of the session", async () => {
  const { "x-posthouse-password": password } = await passed();
  expect((await passed())["x-posthouse-password"]).toBe(password);
  for (const service of ["imap", "smtp", "sieve"] as const)
    expect(await enter(password, service)).toMatchObject({ credential: "webmail" });
  await expect(enter(password, "pop3")).rejects.toThrow("does not allow this protocol");
  await expect(enter(password, "account")).rejects.toThrow("App passwords don't work here");
  const ben = await aMailbox(await aDomain(ctx.companyId));
  await expect(enter(password, "imap", ben.address)).rejects.toThrow("incorrect");
  await expect(enter(password.slice(0, -1), "imap")).rejects.toThrow("incorrect");

  await db()
    .update(mailboxSessions)
    .set({ webmailUntil: sql`webmail_until - interval '12 hours'` });
  await expect(enter(password, "imap")).rejects.toThrow("incorrect");
  const { "x-posthouse-password": next } = await passed();
  expect(next).not.toBe(password);
  expect(await enter(next, "imap")).toMatchObject({ credential: "webmail" });
  const rows = await db().select().from(mailboxSessions);
  expect(JSON.stringify(rows)).not.toContain(next.slice("webmail-".length));
});

const hence = (ms: number) => new Date(Date.now() + ms).toISOString();

/** The password for a session with this `webmailUntil`. */
function derived(sessionId: string, until: string): string {
  const mac = createHmac("sha256", derivedSecret("webmail"));
  return `webmail-${mac.update(`${sessionId} ${until}`).digest("base64url")}`;
}

test("concurrent first requests get the same password", async () => {
  const { sessionId } = (await findAccountUser(db(), cookie))!;
  const until = hence(3_600_000);
  const waiting = async () =>
    (
      await db().execute(
        sql`select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
      )
    ).length;
  const second = await db().transaction(async (tx) => {
    await tx.update(mailboxSessions).set({ webmailUntil: until });
    const password = webmailPassword(db(), sessionId);
    await expect.poll(waiting).toBeGreaterThan(0);
    return { password };
  });
  expect(await second.password).toBe(derived(sessionId, until));
});

test("strangers who guess passwords don't lock it out", async () => {
  const guesses = Array.from({ length: ATTEMPTS_PER_ACCOUNT_MAX }, (_, i) => ({
    email: ann.address,
    source: `198.51.${i}.0`,
    passwordMark: `guess ${i}`,
  }));
  await db().insert(signInAttempts).values(guesses);
  await expect(enter("test password", "imap")).rejects.toThrow("Too many sign-in attempts");
  const { "x-posthouse-password": password } = await passed();
  expect(await enter(password, "imap")).toMatchObject({ credential: "webmail" });
  const attempt = { account: ann.address, clientAddress: "127.0.0.1", checkKey: "key" };
  expect(await countDovecotAttempt(db(), { ...attempt, password })).toBeNull();
  expect(await countDovecotAttempt(db(), { ...attempt, password: "test password" })).toContain(
    "Too many sign-in attempts",
  );
});

test("its password stops working without a further request", async () => {
  const { sessionId } = (await findAccountUser(db(), cookie))!;
  const enterUntil = async (until: string) => {
    await db().update(mailboxSessions).set({ webmailUntil: until });
    return enter(derived(sessionId, until), "imap");
  };
  expect(await enterUntil(hence(60_000))).toMatchObject({ credential: "webmail" });
  await expect(enterUntil(hence(-1_000))).rejects.toThrow("incorrect");
});

test("its password works where the unit forbids mail apps and app passwords, except for sending if that is forbidden", async () => {
  await db()
    .update(orgUnits)
    .set({ appPasswordsAllowed: false, imapAllowed: false, submissionAllowed: false })
    .where(eq(orgUnits.companyId, ctx.companyId));
  const { "x-posthouse-password": password } = await passed();
  expect(await enter(password, "imap")).toMatchObject({ credential: "webmail" });
  await expect(enter(password, "smtp")).rejects.toThrow("not allow this protocol");
});

test.each([
  ["signs out everywhere", () => revokeSessions(ctx, ann.address)],
  ["is suspended", () => changeAnn({ suspendedAt: new Date().toISOString() })],
  [
    "works for a suspended company",
    () => db().update(companies).set({ suspendedAt: new Date().toISOString() }),
  ],
  [
    "has to use single sign-on",
    () =>
      db().insert(identityProviders).values({
        companyId: ctx.companyId,
        issuer: "https://id.example",
        clientId: "x",
        sealedClientSecret: "x",
        allowsMailboxes: true,
        requiredForMailboxes: true,
      }),
  ],
  [
    "has an expired session",
    () =>
      db()
        .update(mailboxSessions)
        .set({ expiresAt: new Date(Date.now() - 1000) }),
  ],
])("ends as soon as the user %s", async (_, end) => {
  const { "x-posthouse-password": password } = await passed();
  await end();
  await expect(enter(password, "imap")).rejects.toThrow(/incorrect|suspended/);
  expect((await open()).status).toBe(401);
  expect(await open("/webmail/?_task=mail&_uid=7", DOCUMENT)).toMatchObject({
    status: 302,
    headers: { location: signInTo("/webmail/?_task=mail&_uid=7") },
  });
});

test("sends users who must change their password to that page", async () => {
  await changeAnn({ forcePasswordChange: true });
  expect((await open("/webmail/", DOCUMENT)).headers.location).toBe("/account/new-password");
  expect((await open()).status).toBe(401);
});

test("doesn't redirect frames and forms, and needs a session for files as well", async () => {
  cookie = "posthouse_account=unknown";
  const frame = { "sec-fetch-dest": "iframe", accept: "text/html" };
  for (const headers of [frame, { accept: "*/*" }] as Record<string, string>[])
    expect((await open("/webmail/skins/a.css", headers)).status).toBe(401);
  expect((await open("/webmail", { accept: "text/html,*/*" })).headers.location).toBe(
    signInTo("/webmail"),
  );
  expect((await web.ask("/webmail/", { ...DOCUMENT, cookie }, "POST")).status).toBe(401);
});

test("distinguishes the users of one browser", async () => {
  const first = await passed();
  const ben = await aMailbox(await aDomain(ctx.companyId));
  cookie = await aSession(ben.address);
  const second = await passed();
  expect(second["x-posthouse-mailbox"]).toBe(ben.address);
  for (const name of ["session", "password"] as const)
    expect(second[`x-posthouse-${name}`]).not.toBe(first[`x-posthouse-${name}`]);
});

test("keeps scripts in messages away from the account and the console", async () => {
  const { headers } = await open("/webmail/", { host: "mail.example.com" });
  const policy = String(headers["content-security-policy"]);
  for (const directive of ["connect-src", "form-action", "frame-src", "script-src"])
    expect(policy).toMatch(new RegExp(`${directive} mail\\.example\\.com/webmail/[ ;]`));
  expect(policy).toContain("frame-ancestors 'self'");
  // Roundcube's own, of an attachment.
  expect(policy).toMatch(/, script-src 'none'$/);
  expect(headers["set-cookie"]).toEqual(["rc_session=1; Path=/webmail; HttpOnly; SameSite=Lax"]);
  expect(headers).toMatchObject({
    "x-frame-options": "SAMEORIGIN",
    "cross-origin-opener-policy": "same-origin-allow-popups",
  });
  const other = await open("/webmail/", { host: "x; script-src *" });
  expect(String(other.headers["content-security-policy"])).toContain("localhost:3000/webmail/");
});

test("says that it is down, and responds with a 404 without the setting", async () => {
  config().webmail = { socketPath: "/nowhere.sock" };
  const answer = await open("/webmail/", { "accept-language": "de" });
  expect(answer).toMatchObject({ status: 502, headers: { "x-frame-options": "SAMEORIGIN" } });
  expect(answer.text).toContain('lang="de"');
  config().webmail = null;
  expect((await open()).status).toBe(404);
});
