import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { beforeAll, expect, test } from "vitest";

import {
  auditEntries,
  companies,
  invitations,
  mailboxSessions,
  plans,
  sendingTotals,
  sessions,
} from "#drizzle/schema/index.ts";
import {
  authenticateKey,
  requireNoOverdueInvoice,
} from "#server/core/access/api-keys/authenticate-key.ts";
import { sessionsConsole } from "#server/resources/sessions.ts";
import type { Refusal } from "#server/core/shared/refusals.ts";
import { db } from "#server/db/pool.ts";
import { callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, aDomain, aMailbox, anAdmin, anApiKey } from "#server/testing/factories.ts";
import { anOperatorSession, anOwnerSession } from "#server/testing/operators.ts";

import { companiesConsole } from "./companies.ts";

let cookie: string;
let email: string;
beforeAll(async () => {
  ({ cookie, email } = await anOperatorSession());
});

const LIMITS = {
  monthlyAllowance: 1_000,
  domainsMax: 3,
  mailboxesMax: 5,
  quotaMbMax: 2_048,
  defaultQuotaMb: 1_024,
};

async function aPlan(name: string = randomUUID()) {
  const [plan] = await db()
    .insert(plans)
    .values({ name, monthlyAllowance: 500, domainsMax: 2, mailboxesMax: null, quotaMbMax: 1_024 })
    .returning();
  return plan!;
}
const rowOf = async (id: string) =>
  (await db().select().from(companies).where(eq(companies.id, id)))[0]!;
const entriesOf = (id: string) =>
  db()
    .select({
      action: auditEntries.action,
      actor: auditEntries.actor,
      actorKind: auditEntries.actorKind,
      details: auditEntries.details,
    })
    .from(auditEntries)
    .where(eq(auditEntries.companyId, id))
    .orderBy(auditEntries.createdAt);
const change = (id: string, body: object) =>
  callFromPage(companiesConsole.update, { cookie, params: { id }, body });
const search = async (query: Record<string, string>) =>
  (
    (await callFromPage(companiesConsole.list, { cookie, query })).body as {
      data: { id: string; state: string; domains: number; monthRecipients: number }[];
    }
  ).data;

test("companies are found by name, admin, domain and ID, with their usage", async () => {
  const name = `Contoso 100% ${randomUUID()}`;
  const { id } = await aCompany({ name });
  const domain = await aDomain(id);
  const admin = await anAdmin(id);
  const month = `${new Date().toISOString().slice(0, 7)}-01`;
  await db().insert(sendingTotals).values({ scope: id, month, monthRecipients: 1_234 });
  await aMailbox({ ...domain, companyId: id });

  for (const text of [name.toUpperCase(), admin.email, domain.name, id])
    expect(await search({ search: text })).toMatchObject([
      { id, state: "active", domains: 1, mailboxes: 1, monthRecipients: 1_234 },
    ]);
  expect(await search({ search: `${name}x` })).toEqual([]);
});

test.each([
  [{ suspendedAt: "2026-01-01T00:00:00Z", serviceEnabled: false }, "suspended"],
  [{ serviceEnabled: false, subscriptionActive: false }, "service_off"],
  [{ overdueInvoice: { number: "1", paymentUrl: "https://pay.example/" } }, "overdue"],
  [{ subscriptionActive: false }, "no_subscription"],
])("a company shows its most severe restriction as its state: %o", async (facts, state) => {
  const name = randomUUID();
  const { id } = await aCompany({ name, ...facts });
  expect(await search({ search: name })).toMatchObject([{ id, state }]);
  expect(await search({ search: name, state })).toHaveLength(1);
  expect(await search({ search: name, state: "active" })).toEqual([]);
});

test("the list is filtered by plan", async () => {
  const plan = await aPlan();
  const name = randomUUID();
  const on = await aCompany({ name, planId: plan.id });
  const off = await aCompany({ name });
  expect(await search({ search: name, plan: plan.id })).toMatchObject([{ id: on.id }]);
  expect(await search({ search: name, plan: "none" })).toMatchObject([{ id: off.id }]);
});

test("a new company gets its plan, and its owner an invitation link", async () => {
  const plan = await aPlan();
  const owner = `${randomUUID()}@contoso.example`;
  const body = { name: "Contoso", email: owner, ownerName: "Cay Toso", planId: plan.id };

  const made = await callFromPage(companiesConsole.create, { cookie, body });

  const { id, link } = made.body as { id: string; link: string };
  expect(link).toMatch(/\/console\/invitation#[\w-]{43}$/);
  expect(await rowOf(id)).toMatchObject({ name: "Contoso", planId: plan.id, domainsMax: 2 });
  expect(await db().select().from(invitations).where(eq(invitations.companyId, id))).toMatchObject([
    { email: owner, isOwner: true, inviterKind: "operator", invitedBy: email },
  ]);
  expect((await entriesOf(id)).map(({ action, actorKind }) => [action, actorKind])).toEqual(
    expect.arrayContaining([
      ["company.created", "operator"],
      ["company.plan_changed", "operator"],
      ["invitation.created", "operator"],
    ]),
  );
  const again = await callFromPage(companiesConsole.inviteOwner, {
    cookie,
    params: { id },
    body: { email: owner },
  });
  expect((again.body as { link: string }).link).not.toBe(link);
  expect(await db().$count(invitations, eq(invitations.companyId, id))).toBe(1);
});

test.each([
  [{ name: "", email: "a@b.example" }, /name must be 1 to 200/],
  [{ name: "Contoso", email: "nobody" }, /^email: /],
])("invalid input is rejected: %o", async (body, message) => {
  const before = await db().$count(companies);
  expect(await callFromPage(companiesConsole.create, { cookie, body })).toMatchObject({
    status: 422,
    body: { message: expect.stringMatching(message) as string },
  });
  expect(await db().$count(companies)).toBe(before);
});

test("assigning a plan and setting custom limits are audited", async () => {
  const { id } = await aCompany();
  const plan = await aPlan("Small");
  expect((await change(id, { planId: plan.id })).status).toBe(200);
  expect(await rowOf(id)).toMatchObject({ planId: plan.id, monthlyAllowance: 500 });
  expect((await change(id, { figures: LIMITS })).status).toBe(200);
  expect(await rowOf(id)).toMatchObject({ planId: null, monthlyAllowance: 1_000, domainsMax: 3 });
  expect(await entriesOf(id)).toMatchObject([
    { action: "company.plan_changed", actor: email, details: { plan: "Small" } },
    {
      action: "company.limits_changed",
      details: { from: { domainsMax: 2 }, to: { domainsMax: 3 } },
    },
  ]);
  expect((await change(id, { planId: randomUUID() })).status).toBe(404);
});

test.each([
  [{ ...LIMITS, domainsMax: -1 }, /^domains_max: /],
  [{ ...LIMITS, monthlyAllowance: 1.5 }, /^monthly_allowance: /],
  [{ ...LIMITS, defaultQuotaMb: 4_096 }, /^default_quota_mb: /],
  [{ ...LIMITS, quotaMbMax: 100 }, /^quota_mb_max: /],
])("invalid limits are reported for their field: %o", async (figures, message) => {
  const { id } = await aCompany();
  expect(await change(id, { figures })).toMatchObject({
    status: 422,
    body: { message: expect.stringMatching(message) as string },
  });
  expect(await entriesOf(id)).toEqual([]);
});

test("each switch affects API requests in its own way and can be undone", async () => {
  const { id } = await aCompany();
  const { token } = await anApiKey(id);
  const answer = () =>
    authenticateKey(db(), { token, address: "192.0.2.1" })
      .then(requireNoOverdueInvoice)
      .catch((error: unknown) => (error as Refusal).reason);
  const invoice = { number: "2026-7", paymentUrl: "https://pay.example/7" };

  for (const [body, name, undo] of [
    [{ serviceEnabled: false }, "service_disabled", { serviceEnabled: true }],
    [{ suspended: true }, "invalid_api_key", { suspended: false }],
    [{ overdueInvoice: invoice }, "account_suspended", { overdueInvoice: null }],
  ] as const) {
    await change(id, body);
    expect(await answer()).toBe(name);
    await change(id, undo);
    expect(await answer()).toBeUndefined();
  }
  await change(id, { subscriptionActive: false });
  expect(await rowOf(id)).toMatchObject({ subscriptionActive: false });
  expect((await entriesOf(id)).map(({ action }) => action)).toEqual([
    "api_key.created",
    "company.service_switched_off",
    "company.service_switched_on",
    "company.suspended",
    "company.restored",
    "company.invoice_overdue",
    "company.invoice_paid",
    "company.subscription_ended",
  ]);
});

test("setting a switch to its current value isn't audited", async () => {
  const { id } = await aCompany();
  await Promise.all([change(id, { suspended: true }), change(id, { suspended: true })]);
  expect(await entriesOf(id)).toHaveLength(1);
});

test("a suspension ends the sessions of admins, at /account and in mail apps", async () => {
  const { id } = await aCompany();
  const domain = await aDomain(id);
  const { address } = await aMailbox({ ...domain, companyId: id });
  const { address: second } = await aMailbox({ ...domain, companyId: id });
  const person = await anOwnerSession(id);
  const expiresAt = new Date(Date.now() + 60_000);
  await db().insert(mailboxSessions).values({ id: randomUUID(), userId: address, expiresAt });
  expect((await callFromPage(sessionsConsole.getMe, { cookie: person })).status).toBe(200);

  await change(id, { suspended: true });

  expect((await callFromPage(sessionsConsole.getMe, { cookie: person })).status).toBe(401);
  expect(await db().$count(mailboxSessions, eq(mailboxSessions.userId, address))).toBe(0);
  const jobs = await db().execute(
    sql`select key from graphile_worker.jobs where key like ${`end_mail_sessions:%@${domain.name}`}`,
  );
  expect(jobs.map(({ key }) => key).toSorted()).toEqual(
    [address, second].map((each) => `end_mail_sessions:${each}`).toSorted(),
  );
  await change(id, { suspended: false });
  expect((await callFromPage(sessionsConsole.getMe, { cookie: person })).status).toBe(401);
});

test("operators can't suspend their current company or the appliance's own", async () => {
  const own = await db().select().from(sessions);
  const mine = (await callFromPage(sessionsConsole.getMe, { cookie })).body as {
    company: { id: string };
  };
  expect(await change(mine.company.id, { suspended: true })).toMatchObject({ status: 403 });
  const platform = await aCompany({ purpose: "platform" });
  expect(await change(platform.id, { suspended: true })).toMatchObject({ status: 403 });
  expect(await db().select().from(sessions)).toHaveLength(own.length);
});

test.each(["http://pay.example/", "javascript:alert(1)", "https://u:p@pay.example/", "pay"])(
  "%s is rejected as a payment URL",
  async (paymentUrl) => {
    const { id } = await aCompany();
    expect(await change(id, { overdueInvoice: { number: "7", paymentUrl } })).toMatchObject({
      status: 422,
      body: { message: expect.stringMatching(/^payment_url: /) as string },
    });
  },
);

test("the company's details include its admins, keys and sessions", async () => {
  const { id } = await aCompany({
    overdueInvoice: { number: "1", paymentUrl: "https://p.example/" },
  });
  const owner = await anAdmin(id, { isOwner: true, name: "Cay" });
  await anApiKey(id, { creatorId: owner.id });
  await anOwnerSession(id);

  const { body } = await callFromPage(companiesConsole.get, { cookie, params: { id } });

  expect(body).toMatchObject({
    state: "overdue",
    apiKeys: 1,
    admins: 2,
    sessions: 1,
    scheduledEmails: 0,
    overdueInvoice: { number: "1", paymentUrl: "https://p.example/" },
    isOwn: false,
  });
  expect((body as { owners: object[] }).owners).toContainEqual({ email: owner.email, name: "Cay" });
});

test("a company that does not exist is 404", async () => {
  const params = { id: randomUUID() };
  for (const [endpoint, body] of [
    [companiesConsole.get, undefined],
    [companiesConsole.update, { suspended: true }],
    [companiesConsole.inviteOwner, { email: "a@b.example" }],
  ] as const)
    expect((await callFromPage(endpoint, { cookie, params, body })).status).toBe(404);
});
