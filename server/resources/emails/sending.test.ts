import { randomUUID } from "node:crypto";

import { and, eq, ne } from "drizzle-orm";
import { describe, expect, onTestFinished, test, vi } from "vitest";

import { admins, auditEntries, emailEvents, emails, outbox } from "#drizzle/schema/index.ts";
import { processDueEmails } from "#server/core/sending/schedules/due-emails.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aSendingCompany, send, type SendingCompany } from "#server/testing/console-emails.ts";
import { aSession, callFromPage } from "#server/testing/console-webhooks.ts";
import { aDomain, anAdmin, aSuppression } from "#server/testing/factories.ts";

import { emailsConsole } from "./console.ts";

const emailBody = ({ domain }: SendingCompany, more: Record<string, unknown> = {}) => ({
  from: `Ann <hello@${domain.name}>`,
  to: "ben@example.net",
  subject: "A test",
  text: "Hello",
  ...more,
});

const compose = (company: SendingCompany, more: Record<string, unknown> = {}, query = {}) =>
  callFromPage(emailsConsole.compose, {
    cookie: company.cookie,
    body: emailBody(company, more),
    query,
  });

const auditsOf = ({ companyId }: SendingCompany, action: string) =>
  db()
    .select()
    .from(auditEntries)
    .where(and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, action)));

const countOf = ({ companyId }: SendingCompany) =>
  db().$count(emails, eq(emails.companyId, companyId));

const idOf = (answered: { body: unknown }) => (answered.body as { id: string }).id;

describe("an email composed in the console", () => {
  test("is sent without an API key, and the audit log and the email name the admin", async () => {
    const company = await aSendingCompany();
    const answered = await compose(company, { tags: [{ name: "test", value: "true" }] });
    expect(answered.status).toBe(200);
    const id = idOf(answered);
    const [audit] = await auditsOf(company, "email.sent");
    expect(audit).toMatchObject({
      actorKind: "admin",
      details: { email: id, from: `hello@${company.domain.name}`, recipients: 1 },
    });
    expect(
      (await call(emailsConsole.get, { cookie: company.cookie, params: { id } })).body,
    ).toMatchObject({
      status: "sent",
      apiKey: null,
      sentBy: audit!.actor,
      tags: [{ name: "test", value: "true" }],
    });
    expect(await db().$count(outbox, eq(outbox.emailId, id))).toBe(1);
  });

  test.each<[string, Record<string, unknown>, string]>([
    ["no recipient", { to: "" }, "to: must have at least one recipient"],
    [
      "an invalid address",
      { to: ["ben"] },
      "to[0]: must be a valid email address, with or without a display name",
    ],
    ["an empty subject", { subject: " " }, "subject: must not be empty"],
    ["no content", { text: "" }, "Provide html or text"],
    [
      "a send time in the past",
      { scheduledAt: "2020-01-01T00:00Z" },
      "scheduledAt: must not be in the past",
    ],
    [
      "an invalid tag name",
      { tags: [{ name: "a b", value: "1" }] },
      "tags[0].name: must be 1 to 256",
    ],
  ])("is rejected with %s, with the API's error message", async (_, more, message) => {
    const company = await aSendingCompany();
    const answered = await compose(company, more);
    expect(answered.status).toBe(422);
    expect((answered.body as { message: string }).message).toContain(message);
    expect(await countOf(company)).toBe(0);
  });

  test.each([
    [{ subscriptionActive: false }, "account_inactive"],
    [{ serviceEnabled: false }, "service_disabled"],
    [
      { overdueInvoice: { number: "2026-7", paymentUrl: "https://pay.example/7" } },
      "account_suspended",
    ],
    [{ monthlyAllowance: 0 }, "monthly_quota_exceeded"],
  ])("is rejected for a company with %o, as in the API", async (state, name) => {
    const company = await aSendingCompany(state);
    expect((await compose(company)).body).toMatchObject({ name });
    expect(await countOf(company)).toBe(0);
    expect(await auditsOf(company, "email.sent")).toEqual([]);
  });

  test("is rejected if the domain is another company's or isn't verified", async () => {
    const company = await aSendingCompany();
    const { domain: foreign } = await aSendingCompany();
    const unverified = await aDomain(company.companyId, { status: "pending" });
    expect((await compose(company, { from: `a@${foreign.name}` })).body).toMatchObject({
      name: "invalid_from_address",
    });
    expect((await compose(company, { from: `a@${unverified.name}` })).body).toMatchObject({
      name: "domain_not_verified",
    });
  });

  test("skips suppressed recipients", async () => {
    const company = await aSendingCompany();
    await aSuppression(company.companyId, { email: "ben@example.net" });
    const id = idOf(await compose(company));
    expect(
      (await call(emailsConsole.get, { cookie: company.cookie, params: { id } })).body,
    ).toMatchObject({
      status: "suppressed",
      recipients: [{ status: "suppressed", suppression: { origin: "manual" } }],
    });
  });

  test("is sent once, however often the same attempt is repeated", async () => {
    const company = await aSendingCompany();
    const attempt = randomUUID();
    const answers = [
      await compose(company, {}, { attempt }),
      await compose(company, {}, { attempt }),
    ];
    expect(idOf(answers[0]!)).toBe(idOf(answers[1]!));
    expect(await countOf(company)).toBe(1);
    expect((await compose(company, { subject: "Other" }, { attempt })).status).toBe(409);
    const refused = randomUUID();
    await compose(company, { to: "" }, { attempt: refused });
    expect((await compose(company, {}, { attempt: refused })).status).toBe(200);
  });

  test("is scheduled once, even if the request is repeated after scheduled_at", async () => {
    const company = await aSendingCompany();
    const attempt = randomUUID();
    const later = { scheduledAt: new Date(Date.now() + 60_000).toISOString() };
    const first = await compose(company, later, { attempt });
    vi.useFakeTimers({ toFake: ["Date"], now: Date.now() + 600_000 });
    onTestFinished(() => void vi.useRealTimers());
    expect(await compose(company, later, { attempt })).toMatchObject({ body: first.body });
    expect(await countOf(company)).toBe(1);
  });
});

describe("the sender of an email", () => {
  const shown = async (cookie: string, id: string) =>
    ((await call(emailsConsole.get, { cookie, params: { id } })).body as { sentBy: string | null })
      .sentBy;

  test("is the admin who sent it, not the one who looks, and null for API keys", async () => {
    const company = await aSendingCompany();
    const colleague = await aSession(company.companyId);
    const own = idOf(await compose(company));
    const colleagues = idOf(await compose({ ...company, cookie: colleague }));
    const byKey = await send(company);
    const [mine, theirs] = [await shown(company.cookie, own), await shown(colleague, colleagues)];
    expect(mine).toContain("@example.com");
    expect(theirs).not.toBe(mine);
    expect(await shown(colleague, own)).toBe(mine);
    expect(await shown(company.cookie, byKey)).toBeNull();
  });

  test("is never an admin of another company", async () => {
    const company = await aSendingCompany();
    const { companyId: foreign } = await aSendingCompany();
    const id = idOf(await compose(company));
    const { id: sentByAdminId } = await anAdmin(foreign);
    await db().update(emails).set({ sentByAdminId }).where(eq(emails.id, id));
    expect(await shown(company.cookie, id)).toBeNull();
  });
});

describe("an email scheduled in the console", () => {
  async function scheduled(company: SendingCompany) {
    const id = idOf(await compose(company, { scheduledAt: "in 2 hours" }));
    const dueAt = new Date(Date.now() - 1000).toISOString();
    return { id, makeDue: () => db().update(emails).set({ dueAt }).where(eq(emails.id, id)) };
  }
  const emailOf = async (id: string) =>
    (await db().select().from(emails).where(eq(emails.id, id)))[0]!;
  const stateOf = async (id: string) => (await emailOf(id)).lastEvent;
  const senderOf = async (id: string) => (await emailOf(id)).sentByAdminId!;

  test("is sent when it is due", async () => {
    const company = await aSendingCompany();
    const { id, makeDue } = await scheduled(company);
    await makeDue();
    await processDueEmails(db());
    expect(await stateOf(id)).toBe("sent");
  });

  test.each(["disabled", "removed"])(
    "is canceled if the admin has been %s by then",
    async (how) => {
      const company = await aSendingCompany();
      const { id, makeDue } = await scheduled(company);
      const admin = eq(admins.id, await senderOf(id));
      if (how === "removed") await db().delete(admins).where(admin);
      else await db().update(admins).set({ disabledAt: new Date().toISOString() }).where(admin);
      await makeDue();
      await processDueEmails(db());
      expect(await stateOf(id)).toBe("canceled");
      const [event] = await db()
        .select()
        .from(emailEvents)
        .where(and(eq(emailEvents.emailId, id), eq(emailEvents.type, "canceled")));
      expect(event!.reason).toBe("The admin who scheduled the email no longer has access");
    },
  );

  test("is sent although every other admin has been disabled by then", async () => {
    const company = await aSendingCompany();
    const { id, makeDue } = await scheduled(company);
    const sender = await senderOf(id);
    const disabledAt = new Date().toISOString();
    await db()
      .update(admins)
      .set({ disabledAt })
      .where(and(eq(admins.companyId, company.companyId), ne(admins.id, sender)));
    await makeDue();
    await processDueEmails(db());
    expect(await stateOf(id)).toBe("sent");
  });

  test("isn't sent for another admin, of the same company or of another, whatever the audit log says", async () => {
    const company = await aSendingCompany();
    const foreign = await aSendingCompany();
    const colleague = await anAdmin(company.companyId);
    const [mine, theirs] = [await scheduled(company), await scheduled(company)];
    const sender = eq(admins.id, await senderOf(mine.id));
    const [admin] = await db().select().from(admins).where(sender);
    // The same person, at another company.
    const elsewhere = await anAdmin(foreign.companyId, { email: admin!.email });
    await db().update(emails).set({ sentByAdminId: elsewhere.id }).where(eq(emails.id, theirs.id));
    await db()
      .update(auditEntries)
      .set({ actor: colleague.email, details: { email: mine.id, adminId: colleague.id } })
      .where(eq(auditEntries.companyId, company.companyId));
    await db().update(admins).set({ disabledAt: new Date().toISOString() }).where(sender);
    await mine.makeDue();
    await theirs.makeDue();
    await processDueEmails(db());
    expect(await stateOf(mine.id)).toBe("canceled");
    expect(await stateOf(theirs.id)).toBe("canceled");
  });

  test("can be rescheduled and canceled, and both are recorded in the audit log", async () => {
    const company = await aSendingCompany();
    const { cookie } = company;
    const { id } = await scheduled(company);
    const params = { id };
    const moved = await callFromPage(emailsConsole.reschedule, {
      cookie,
      params,
      body: { scheduledAt: "2099-01-01T00:00:00Z" },
    });
    expect(moved).toMatchObject({
      status: 422,
      body: { message: "scheduledAt: must be at most 30 days ahead" },
    });
    const at = new Date(Date.now() + 86_400_000).toISOString();
    const body = { scheduledAt: at };
    expect((await callFromPage(emailsConsole.reschedule, { cookie, params, body })).status).toBe(
      200,
    );
    expect((await call(emailsConsole.get, { cookie, params })).body).toMatchObject({
      scheduledAt: at,
    });
    expect(await auditsOf(company, "email.rescheduled")).toMatchObject([
      { details: { email: id, to: at } },
    ]);
    expect((await callFromPage(emailsConsole.cancel, { cookie, params })).status).toBe(200);
    expect(await stateOf(id)).toBe("canceled");
    expect(await auditsOf(company, "email.canceled")).toMatchObject([{ details: { email: id } }]);
    for (const endpoint of [emailsConsole.cancel, emailsConsole.reschedule])
      expect(await callFromPage(endpoint, { cookie, params, body })).toMatchObject({ status: 422 });
  });
});

describe("a resent email", () => {
  const FILE = {
    filename: "a.txt",
    contentType: "text/plain",
    contentId: null,
    content: Buffer.from("x"),
  };

  test("is a new email with the same content and attachments, sent by the current admin", async () => {
    const company = await aSendingCompany();
    const { cookie } = company;
    const bcc = [{ name: "", address: "dora@example.net" }];
    const replyTo = [{ name: "Desk", address: "desk@example.net" }];
    const first = await send(company, { bcc, replyTo, attachments: [FILE] });
    const second = idOf(
      await callFromPage(emailsConsole.resend, { cookie, params: { id: first } }),
    );
    expect(second).not.toBe(first);
    const read = async (id: string) =>
      (await call(emailsConsole.get, { cookie, params: { id } })).body as Record<string, unknown>;
    const [one, other] = [await read(first), await read(second)];
    for (const field of [
      "from",
      "to",
      "cc",
      "bcc",
      "reply_to",
      "subject",
      "tags",
      "content",
      "attachments",
    ])
      expect(other[field]).toEqual(one[field]);
    expect([one.sentBy, other.apiKey]).toEqual([null, null]);
    expect(other.sentBy).toContain("@example.com");
  });

  test("is sent once per attempt", async () => {
    const company = await aSendingCompany();
    const params = { id: await send(company) };
    const query = { attempt: randomUUID() };
    for (let time = 0; time < 2; time++)
      await callFromPage(emailsConsole.resend, { cookie: company.cookie, params, query });
    expect(await countOf(company)).toBe(2);
  });
});
