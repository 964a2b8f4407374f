import { Readable } from "node:stream";

import type * as Argon2 from "@node-rs/argon2";
import { eq, sql } from "drizzle-orm";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { z } from "zod";

import { invitations, mailboxSessions, sessions, signInSteps } from "#drizzle/schema/index.ts";
import type * as Config from "#server/config.ts";
import { ATTACHMENTS_BYTES_MAX } from "#server/resources/emails/attachment-field.ts";
import { CLAIM_DAYS } from "./core/domains/domains/require-domain.ts";
import { MEMBERS_MAX } from "./core/mailboxes/groups/groups.ts";
import { KEY_CHARS_MAX, RETENTION_HOURS } from "./core/sending/idempotency/idempotency.ts";
import { invitationExpiry } from "./core/access/invitations/invitations.ts";
import { LARGE_BODY_BYTES } from "./core/platform/limits/large-bodies.ts";
import { DELAY_NOTICE_AFTER_SECONDS } from "./core/sending/bounce-messages/send-dsn.ts";
import { createResetLink } from "./core/access/people/person-passwords.ts";
import { signInAdmin } from "./core/access/people/person-sign-in.ts";
import { PASSKEY_MINUTES } from "./core/access/second-factors/passkeys.ts";
import { STEP_MINUTES } from "./core/access/second-factors/factor-step.ts";
import { startAccountSession } from "./core/access/sessions/account-sessions.ts";
import { renewSession } from "./core/access/sessions/console-sessions.ts";
import { findSignedIn, startSession } from "./core/access/sessions/sessions.ts";
import { SETTINGS } from "./core/platform/settings/settings.ts";
import { authenticateMailbox } from "./core/mailboxes/sign-in/mailbox-sign-in.ts";
import { KNOWN_DAYS, countAttempt } from "./core/access/sign-in/throttle.ts";
import { GREYLIST_FORGOTTEN_DAYS, GREYLIST_WAIT_MINUTES } from "./core/mail/spam/greylist.ts";
import { TRACKED_LINK_DAYS } from "./core/sending/tracking/tracking-token.ts";
import { TEMPLATES_MAX, VERSIONS_KEPT } from "./core/sending/templates/template-content.ts";
import { WEBHOOKS_MAX } from "./core/webhooks/endpoints/webhooks.ts";
import { db } from "#server/db/pool.ts";
import { defineEndpoint } from "#server/http/endpoint.ts";
import { BODY_LIMITS } from "#server/http/read-body.ts";
import { createRouter } from "#server/http/router.ts";
import type * as Logger from "#server/processes/logger.ts";
import { aCompany, aDomain, aMailbox, anAdmin } from "#server/testing/factories.ts";
import { createLimits } from "#mail/mx/limits.ts";

const seen = vi.hoisted(() => ({ baseUrl: "", verified: 0, lines: [] as object[] }));
vi.mock("#server/config.ts", async (original) => {
  const actual = await original<typeof Config>();
  const config = () => ({ ...actual.config(), ...(seen.baseUrl && { baseUrl: seen.baseUrl }) });
  return { ...actual, config };
});
vi.mock("@node-rs/argon2", async (original) => {
  const actual = await original<typeof Argon2>();
  const verify: typeof actual.verify = (...args) => {
    seen.verified += 1;
    return actual.verify(...args);
  };
  return { ...actual, verify };
});
vi.mock("#server/processes/logger.ts", async (original) => {
  const actual = await original<typeof Logger>();
  const note = (line: object) => void seen.lines.push(line);
  return {
    ...actual,
    createLogger: () => ({ ...actual.createLogger("web"), info: note, warn: note }),
  };
});

beforeEach(() => {
  seen.verified = 0;
  seen.lines.length = 0;
});
afterEach(() => void (seen.baseUrl = ""));

const MB = 1024 * 1024;
const origin = { clientAddress: "198.51.100.7", userAgent: null };
const idOf = (cookie: string) => cookie.slice(cookie.indexOf("=") + 1, cookie.indexOf(";"));
const hoursUntil = (moment: string) => Math.round((Date.parse(moment) - Date.now()) / 360_000) / 10;
const aPerson = async () => (await anAdmin((await aCompany()).id)).id;
const anAccount = async () => (await aMailbox(await aDomain((await aCompany()).id))).address;

describe("documented limits", () => {
  test.each<[string, number, number]>([
    ["an idempotency key is kept for 24 hours", RETENTION_HOURS, 24],
    ["an idempotency key has at most 256 characters", KEY_CHARS_MAX, 256],
    ["a domain claim lasts 7 days", CLAIM_DAYS, 7],
    ["a tracked link works for 180 days", TRACKED_LINK_DAYS, 180],
    ["retries of emails end after 48 hours", SETTINGS.retry_hours_email.default, 48],
    ["a delay is reported to the sender after 4 hours", DELAY_NOTICE_AFTER_SECONDS, 4 * 3_600],
    ["the second sign-in step times out after 10 minutes", STEP_MINUTES, 10],
    ["a passkey challenge lasts 5 minutes", PASSKEY_MINUTES, 5],
    ["a network is known for 90 days", KNOWN_DAYS, 90],
    ["greylisting waits 5 minutes", GREYLIST_WAIT_MINUTES, 5],
    ["greylisting remembers senders for 36 days", GREYLIST_FORGOTTEN_DAYS, 36],
    ["a body over 2 MB is large", LARGE_BODY_BYTES, 2 * MB],
    ["the body of a sending request is at most 30 MB", BODY_LIMITS.sending, 30 * MB],
    ["any other body is at most 1 MB", BODY_LIMITS.general, MB],
    ["attachments total at most 20 MB", ATTACHMENTS_BYTES_MAX, 20 * MB],
    ["a company has at most 300 templates", TEMPLATES_MAX, 300],
    ["20 versions of a template are kept", VERSIONS_KEPT, 20],
    ["a company has at most 10 webhooks", WEBHOOKS_MAX, 10],
    ["a group has at most 200 members", MEMBERS_MAX, 200],
    ["10 requests a second", SETTINGS.request_rate_per_second.default, 10],
    ["25 requests in progress", SETTINGS.requests_in_progress.default, 25],
    ["450 recipients an hour of a company", SETTINGS.hourly_recipients_company.default, 450],
    ["1,800 of all companies", SETTINGS.hourly_recipients_platform.default, 1_800],
    ["300 of a mailbox", SETTINGS.hourly_recipients_mailbox.default, 300],
    ["20,000 scheduled recipients", SETTINGS.scheduled_backlog.default, 20_000],
    ["5 waiting test events", SETTINGS.test_events_waiting.default, 5],
    ["50 new recipients before the guard acts", SETTINGS.guard_new_recipients.default, 50],
    ["Junk from a score of 6", SETTINGS.spam_junk_score.default, 6],
    ["quarantine from a score of 10", SETTINGS.spam_quarantine_score.default, 10],
    ["rejection from a score of 15", SETTINGS.spam_reject_score.default, 15],
  ])("%s", (_, actual, documented) => {
    expect(actual).toBe(documented);
  });
});

describe("sessions", () => {
  const expiryOf = async (table: typeof sessions | typeof mailboxSessions, cookie: string) => {
    const [row] = await db()
      .select({ expiresAt: table.expiresAt })
      .from(table)
      .where(eq(table.id, idOf(cookie)));
    return hoursUntil(String(row!.expiresAt));
  };

  test("end after 14 days without use", async () => {
    expect(await expiryOf(sessions, await startSession(db(), await aPerson()))).toBe(14 * 24);
    const cookie = await startAccountSession(db(), await anAccount(), origin);
    expect(await expiryOf(mailboxSessions, cookie)).toBe(14 * 24);
  });

  test("keep their age when their id is renewed", async () => {
    const adminId = await aPerson();
    const createdAt = new Date(Date.now() - 5 * 3_600_000).toISOString();
    const cookie = await startSession(db(), adminId, { createdAt });
    const { sessionId } = (await findSignedIn(db(), cookie.split(";")[0]!))!;
    const renewed = await renewSession(db(), { id: adminId, sessionId }, origin);
    const [row] = await db()
      .select()
      .from(sessions)
      .where(eq(sessions.id, idOf(renewed)));
    expect(hoursUntil(row!.createdAt)).toBe(-5);
  });

  test("use Secure cookies when the appliance is served over https", async () => {
    const cookies = async () => [
      await startSession(db(), await aPerson()),
      await startAccountSession(db(), await anAccount(), origin),
    ];
    for (const cookie of await cookies()) {
      expect(cookie).toMatch(/; HttpOnly/);
      expect(cookie).not.toMatch(/; Secure/);
    }
    seen.baseUrl = "https://mail.corp.example";
    for (const cookie of await cookies()) expect(cookie).toMatch(/; Secure(;|$)/);
  });
});

describe("links", () => {
  test("a password reset link works for 60 minutes", async () => {
    const { email } = await anAdmin((await aCompany()).id);
    await createResetLink(db(), email, { isMailed: true });
    const [step] = await db()
      .select({ expiresAt: signInSteps.expiresAt })
      .from(signInSteps)
      .where(eq(signInSteps.email, email));
    expect(hoursUntil(step!.expiresAt)).toBe(1);
  });

  test("an invitation works for 7 days", async () => {
    const { id: companyId } = await aCompany();
    const [made] = await db()
      .insert(invitations)
      .values({
        companyId,
        email: "eve@corp.example",
        name: "Eve",
        invitedBy: "ann@corp.example",
        tokenHash: "a",
        copiedTokenHash: "b",
        expiresAt: invitationExpiry(),
      })
      .returning({ expiresAt: invitations.expiresAt });
    expect(hoursUntil(made!.expiresAt)).toBe(7 * 24);
  });
});

describe("guessing", () => {
  test("hashes a password for an unknown address too", async () => {
    const credentials = { email: "nobody@corp.example", password: "x" };
    await expect(signInAdmin(db(), { ...credentials, origin })).rejects.toThrow();
    expect(seen.verified).toBe(1);
    const attempt = { username: "nobody@corp.example", password: "x", service: "imap" as const };
    await expect(
      authenticateMailbox(db(), { ...attempt, clientAddress: origin.clientAddress }),
    ).rejects.toThrow();
    expect(seen.verified).toBe(2);
  });

  test("one source gets 1,000 attempts in 15 minutes, including repeated passwords", async () => {
    const source = "203.0.113.9";
    await db().execute(sql`
      insert into sign_in_attempts (email, source, password_mark)
      select 'old' || n % 20 || '@corp.example', ${source}, 'same' from generate_series(1, 999) n`);
    const attempt = { account: "old0@corp.example", clientAddress: source, passwordMark: "same" };
    await countAttempt(db(), attempt);
    await expect(countAttempt(db(), attempt)).rejects.toMatchObject({
      reason: "rate_limit_exceeded",
    });
  });

  test("one account gets 100 attempts from one source in 15 minutes, including repeated passwords", async () => {
    const attempt = {
      account: "stale@corp.example",
      clientAddress: "203.0.113.10",
      passwordMark: "same",
    };
    await db().execute(sql`
      insert into sign_in_attempts (email, source, password_mark)
      select ${attempt.account}, ${attempt.clientAddress}, 'same' from generate_series(1, 99)`);
    await countAttempt(db(), attempt);
    await expect(countAttempt(db(), attempt)).rejects.toMatchObject({
      reason: "rate_limit_exceeded",
    });
  });
});

test("an SMTP listener has limits by default", () => {
  const { connections, rate, memory, life, tarpitStepMs } = createLimits();
  const enter = (network: string, wideNetwork = network) =>
    connections.enter({}, { network, wideNetwork, end: () => {} });
  for (let i = 0; i < 20; i++) enter("a");
  expect(() => enter("a")).toThrow(/4\.7\.0/);
  for (let i = 20; i < 250; i++) enter(`b${i}`);
  expect(() => enter("c")).toThrow(/4\.3\.2/);
  connections.stop();
  for (let i = 0; i < 120; i++) rate.count("a");
  expect(() => rate.count("a")).toThrow(/4\.7\.1/);
  expect(memory.take("a", 64 * MB + 1)).toBe(false);
  expect(memory.take(null, 256 * MB + 1)).toBe(false);
  expect(memory.take(null, 256 * MB)).toBe(true);
  expect(life).toEqual({ lifetimeMs: 10 * 60_000, bytesPerSecondMin: 8 * 1024 });
  expect(tarpitStepMs).toBe(1_000);
});

test("the log names a request's endpoint, never the secret in its path", async () => {
  const endpoint = defineEndpoint("GET", "/links/{token}", {
    summary: "",
    permission: "public",
    privilege: null,
    params: z.object({ token: z.string() }),
    response: z.object({}),
    refusals: [],
    handle: () => Promise.resolve({}),
  });
  await createRouter([endpoint])({
    method: "GET",
    path: "/links/s3cret",
    query: "",
    address: "127.0.0.1",
    requestId: "r",
    headers: {},
    stream: Readable.from([]),
  });
  expect(seen.lines).toContainEqual(expect.objectContaining({ path: "/links/{token}" }));
  expect(JSON.stringify(seen.lines)).not.toContain("s3cret");
});
