// cspell:ignore Postfach
import { randomUUID } from "node:crypto";
import { once } from "node:events";

import { and, eq, like, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import {
  auditEntries,
  companies,
  forwardConfirmations,
  mailboxes,
  mailboxSessions,
  messages,
  orgUnits,
} from "#drizzle/schema/index.ts";
import { createAppPassword } from "#server/core/mailboxes/app-passwords/app-passwords.ts";
import { saveRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { startAccountSession } from "#server/core/access/sessions/account-sessions.ts";
import { db } from "#server/db/pool.ts";
import { aMailCompany, ask, aSessionOfRole } from "#server/testing/console-mailboxes.ts";
import { aSession } from "#server/testing/console-webhooks.ts";
import { aContext } from "#server/testing/factories.ts";
import { anOwnDovecot } from "#server/testing/groups.ts";
import { signIn } from "#server/testing/mail-app.ts";

import { mailboxAccessConsole } from "./access.ts";
import { mailboxesConsole } from "./console.ts";

let dovecot: Awaited<ReturnType<typeof anOwnDovecot>>;
let company: Awaited<ReturnType<typeof aMailCompany>>;

beforeAll(async () => {
  dovecot = await anOwnDovecot();
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  company = await aMailCompany();
});

const BROWSER = { clientAddress: "192.0.2.7", userAgent: "Mozilla/5.0 Firefox/140" };
const access = async (email = company.inSales) =>
  (await ask(mailboxAccessConsole.getAccess, company.cookie, email)).body as {
    appPasswords: { id: string; name: string }[];
    browsers: { id: string; clientAddress: string }[];
    mailApps: { clientAddress: string; services: string[] }[];
  };
const audited = () =>
  db()
    .select({ action: auditEntries.action, details: auditEntries.details })
    .from(auditEntries)
    .where(
      and(eq(auditEntries.companyId, company.companyId), like(auditEntries.action, "mailbox.s%")),
    );

describe("sessions and app passwords", () => {
  test("are listed without secrets", async () => {
    const { companyId, inSales } = company;
    await createAppPassword(aContext(companyId), inSales, "Phone");
    const cookie = await startAccountSession(db(), inSales, BROWSER);
    const app = await signIn(dovecot.imap, inSales);
    const { status, body } = await ask(mailboxAccessConsole.getAccess, company.cookie, inSales);
    app.close();
    expect(status).toBe(200);
    expect(body).toMatchObject({
      appPasswords: [{ name: "Phone", lastUsedAt: null }],
      browsers: [{ clientAddress: "192.0.2.7", userAgent: BROWSER.userAgent }],
      mailApps: [{ clientAddress: "127.0.0.1", services: ["imap"], connections: 1 }],
    });
    const { id } = (await access()).browsers[0]!;
    expect(cookie).not.toContain(id);
    expect(JSON.stringify(body)).not.toMatch(/secret|hash/i);
  });

  test("end by address, by browser, or all at once", async () => {
    const { inSales, cookie } = company;
    const end = (body: object) => ask(mailboxAccessConsole.endSessions, cookie, inSales, { body });
    const app = await signIn(dovecot.imap, inSales);
    const closed = once(app, "close");
    expect(await end({ mailAppsFrom: "127.0.0.1" })).toMatchObject({ status: 200 });
    await closed;
    expect(await end({ mailAppsFrom: "127.0.0.1" })).toMatchObject({ status: 404 });
    await startAccountSession(db(), inSales, BROWSER);
    await startAccountSession(db(), inSales, BROWSER);
    const { id } = (await access()).browsers[0]!;
    expect(await end({ browser: id })).toMatchObject({ status: 200 });
    expect(await end({ browser: id })).toMatchObject({ status: 404 });
    expect((await access()).browsers).toHaveLength(1);
    const other = await signIn(dovecot.imap, inSales);
    const otherClosed = once(other, "close");
    expect(await end({})).toMatchObject({ status: 200 });
    await otherClosed;
    expect((await access()).browsers).toEqual([]);
    expect(await audited()).toEqual([
      { action: "mailbox.sessions_ended", details: { mailbox: inSales, from: "127.0.0.1" } },
      { action: "mailbox.sessions_ended", details: { mailbox: inSales, in: "browser" } },
      { action: "mailbox.sessions_ended", details: { mailbox: inSales } },
    ]);
  });

  test("a session ID of another mailbox ends nothing", async () => {
    const { inSales, inRoot, cookie } = company;
    await startAccountSession(db(), inRoot, BROWSER);
    const { id } = (await access(inRoot)).browsers[0]!;
    expect(
      await ask(mailboxAccessConsole.endSessions, cookie, inSales, { body: { browser: id } }),
    ).toMatchObject({
      status: 404,
    });
    expect(await db().$count(mailboxSessions, eq(mailboxSessions.userId, inRoot))).toBe(1);
  });

  test.each([
    { mailAppsFrom: "*" },
    { mailAppsFrom: "127.0.0.1/0" },
    { mailAppsFrom: "127.0.0.1", browser: "x" },
  ])("%j is rejected", async (body) => {
    const { inSales, cookie } = company;
    expect(await ask(mailboxAccessConsole.endSessions, cookie, inSales, { body })).toMatchObject({
      status: 422,
    });
  });

  test("revoking an app password ends its sessions, and works once", async () => {
    const { companyId, inSales, inRoot, cookie, ofSales } = company;
    const other = await createAppPassword(aContext(companyId), inRoot, "Phone");
    expect(
      await ask(mailboxAccessConsole.revokeAppPassword, ofSales, inRoot, {
        params: { id: other.id },
      }),
    ).toMatchObject({ status: 403 });
    expect((await access(inRoot)).appPasswords).toHaveLength(1);
    const { id, secret } = await createAppPassword(aContext(companyId), inSales, "Phone");
    const app = await signIn(dovecot.imap, inSales, { password: secret });
    const closed = once(app, "close");
    const params = { id };
    expect(
      await ask(mailboxAccessConsole.revokeAppPassword, cookie, inRoot, { params }),
    ).toMatchObject({ status: 404 });
    expect(
      await ask(mailboxAccessConsole.revokeAppPassword, cookie, inSales, { params }),
    ).toMatchObject({
      status: 200,
    });
    await closed;
    await expect(signIn(dovecot.imap, inSales, { password: secret })).rejects.toThrow();
    expect(
      await ask(mailboxAccessConsole.revokeAppPassword, cookie, inSales, { params }),
    ).toMatchObject({
      status: 404,
    });
    expect((await access()).appPasswords).toEqual([]);
  });
});

test("admins who can reset the password set forwarding and automatic replies, also of a suspended mailbox", async () => {
  const { companyId, inSales, inRoot, cookie, ofSales, sales, at } = company;
  const forwarding = { forwardTo: [inRoot], keepCopy: true };
  const vacation = {
    isOn: true,
    subject: "Ann has left",
    text: "Write to the team.",
    startsOn: null,
    endsOn: null,
    timeZone: "Europe/Berlin",
  };
  const save = (as: string, body: object, email = inSales) =>
    ask(mailboxAccessConsole.saveRules, as, email, { body });
  const active = { body: { active: false } };
  expect(await ask(mailboxesConsole.update, cookie, inSales, active)).toMatchObject({
    status: 200,
  });
  expect(await save(ofSales, { forwarding, vacation })).toMatchObject({ status: 200 });
  // As the dialog to suspend a mailbox may.
  expect(await save(ofSales, {})).toMatchObject({ status: 200 });
  const { body } = await ask(mailboxAccessConsole.getEffectiveSettings, cookie, inSales);
  expect(body).toMatchObject({ forwardTo: [inRoot], keepsCopy: true, vacation });
  const [entry, ...others] = await db()
    .select()
    .from(auditEntries)
    .where(and(eq(auditEntries.companyId, companyId), like(auditEntries.action, "mailbox_rules%")));
  expect(others).toEqual([]);
  expect(entry).toMatchObject({ details: { mailbox: inSales, forward_to: [inRoot] } });

  expect(await save(ofSales, { forwarding }, inRoot)).toMatchObject({ status: 403 });
  const viewer = await aSession(companyId, ["view_users", "update_users"]);
  expect(await save(viewer, { forwarding })).toMatchObject({ status: 403 });
  expect(await save(cookie, { forwarding }, at("nobody"))).toMatchObject({ status: 404 });
  const typo = { forwardTo: [at("nobody")], keepCopy: true };
  expect(await save(cookie, { forwarding: typo })).toMatchObject({ status: 422 });
  await db().update(orgUnits).set({ outsideAllowed: false }).where(eq(orgUnits.id, sales));
  const outside = { forwardTo: ["ann@example.net"], keepCopy: true };
  expect(await save(cookie, { forwarding: outside })).toMatchObject({ status: 403 });
});

test("effective settings include policies with their unit, rules, and hourly sending", async () => {
  const { companyId, inSales, sales, root, cookie, domain } = company;
  const set = (id: number, values: object) =>
    db().update(orgUnits).set(values).where(eq(orgUnits.id, id));
  await set(root, { pop3Allowed: false, passwordLengthMin: 16 });
  await set(sales, { passwordLengthMin: 20 });
  await saveRules(aContext(companyId), inSales, {
    forwardTo: ["ann@example.net"],
    keepCopy: false,
  });
  const sent = (hours: number, origin: "submission" | "forward", recipientCount: number) =>
    db()
      .insert(messages)
      .values({
        id: randomUUID(),
        companyId,
        origin,
        mailbox: inSales,
        sender: inSales,
        recipientCount,
        isSenderTold: true,
        signingDomainId: domain.id,
        size: 1,
        headerFrom: inSales,
        messageId: `<${origin}.${hours}@x>`,
        subject: "x",
        clientAddress: "192.0.2.1",
        createdAt: new Date(Date.now() - hours * 3_600_000).toISOString(),
      } as typeof messages.$inferInsert);
  await sent(0.5, "submission", 3);
  await sent(0.2, "submission", 4);
  await sent(2, "submission", 50);
  await sent(0.5, "forward", 60);

  const { body } = await ask(mailboxAccessConsole.getEffectiveSettings, cookie, inSales);
  expect(body).toMatchObject({
    forwardTo: ["ann@example.net"],
    keepsCopy: false,
    vacation: null,
    filters: 0,
    unconfirmedForwards: [{ address: "ann@example.net", isDeclined: false }],
    sending: { lastHour: 7, heldAt: null },
  });
  await db()
    .update(forwardConfirmations)
    .set({ requestedAt: sql`requested_at - interval '2 hours'` })
    .where(eq(forwardConfirmations.mailbox, inSales));
  const resend = (address: string) =>
    ask(mailboxAccessConsole.resendForwardRequest, cookie, inSales, { body: { address } });
  expect(await resend("ANN@example.net")).toMatchObject({ status: 200 });
  expect(await resend("ann@example.net")).toMatchObject({ status: 429 });
  expect(await resend("eve@example.net")).toMatchObject({ status: 404 });
  const policies = (body as { policies: { name: string; value: unknown; from: unknown }[] })
    .policies;
  const of = (name: string) => policies.find((policy) => policy.name === name);
  expect(policies).toHaveLength(12);
  expect(of("pop3Allowed")).toMatchObject({ value: false, from: { id: root } });
  expect(of("passwordLengthMin")).toMatchObject({ value: 20, from: { id: sales } });
  expect(of("imapAllowed")).toMatchObject({ value: true, from: null });
  const limited = (await ask(mailboxAccessConsole.getEffectiveSettings, company.ofSales, inSales))
    .body;
  expect(limited.policies).toContainEqual({
    name: "pop3Allowed",
    value: false,
    from: { id: null, name: "a unit above" },
  });
});

describe("welcome sheets", () => {
  const read = (cookie: string, emails: string[]) =>
    ask(mailboxesConsole.readSetUps, cookie, "", { body: { emails } });

  test("contain the settings the unit allows and the sign-in URL", async () => {
    const { inSales, inRoot, sales, cookie } = company;
    await db().update(orgUnits).set({ pop3Allowed: false }).where(eq(orgUnits.id, sales));
    const { status, body } = await read(cookie, [inSales.toUpperCase(), inRoot, "nobody"]);
    expect(status).toBe(200);
    expect(body.data).toMatchObject([
      { id: inRoot, name: "Ann Example" },
      { id: inSales, pop3: [], accountUrl: expect.stringMatching(/\/account$/) as string },
    ]);
    const [first] = body.data as { qr: { size: number }; pop3: object[]; phoneUrl: string }[];
    expect(first!.qr.size).toBeGreaterThan(20);
    expect(first!.pop3).toHaveLength(2);
    expect(first!.phoneUrl).toContain(`/account/connect?email=${encodeURIComponent(inRoot)}`);
  });

  test("are in the language of the mailbox user, or else in the company's", async () => {
    const { inSales, inRoot, cookie, companyId } = company;
    await db().update(companies).set({ language: "de" }).where(eq(companies.id, companyId));
    await db().update(mailboxes).set({ language: "en" }).where(eq(mailboxes.address, inSales));
    expect((await read(cookie, [inSales, inRoot])).body.data).toMatchObject([
      { id: inRoot, language: "de", texts: { title: "Ihr Postfach" } },
      { id: inSales, language: "en", texts: { title: "Your mailbox" } },
    ]);
  });

  test("omit mailboxes outside the admin's units or company", async () => {
    const { ofSales, inRoot, inSales, sales, companyId } = company;
    const namesFor = async (cookie: string, emails: string[]) =>
      ((await read(cookie, emails)).body.data as { id: string }[]).map(({ id }) => id);
    expect(await namesFor(ofSales, [inRoot, inSales])).toEqual([inSales]);
    const creator = await aSessionOfRole(companyId, sales, ["create_users"]);
    expect(await namesFor(creator, [inSales])).toEqual([inSales]);
    const stranger = await aMailCompany();
    expect(await namesFor(stranger.cookie, [inSales])).toEqual([]);
    const cannot = await aSession(companyId, ["update_users", "suspend_users"]);
    expect(await read(cannot, [inSales])).toMatchObject({ status: 403 });
    expect(
      await read(
        ofSales,
        Array.from({ length: 101 }, () => inSales),
      ),
    ).toMatchObject({
      status: 422,
    });
  });
});

test("mailboxes matching a filter are selected with their permissions", async () => {
  const { cookie, ofSales, inRoot, inSales, sales, root, companyId } = company;
  const chosen = async (as: string, query: Record<string, string> = {}) =>
    (await ask(mailboxesConsole.select, as, "", { query })).body as {
      data: { id: string; may: object }[];
    };
  expect((await chosen(cookie)).data.map(({ id }) => id)).toEqual([inRoot, inSales]);
  expect((await chosen(cookie, { unit: String(sales) })).data.map(({ id }) => id)).toEqual([
    inSales,
  ]);
  expect((await chosen(cookie, { unit: String(root) })).data).toHaveLength(2);
  expect((await chosen(ofSales)).data).toMatchObject([
    { id: inSales, orgUnit: { id: sales }, may: { update: true, suspend: true } },
  ]);
  const stranger = await aMailCompany();
  expect((await chosen(cookie, { unit: String(stranger.root) })).data).toEqual([]);
  expect(await ask(mailboxesConsole.select, cookie, "", { query: { unit: "x" } })).toMatchObject({
    status: 422,
  });
  const cannot = await aSession(companyId, ["create_users"]);
  expect(await ask(mailboxesConsole.select, cannot, "")).toMatchObject({ status: 403 });
});
