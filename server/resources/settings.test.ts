import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { admins, auditEntries, companies, sendingTotals, sessions } from "#drizzle/schema/index.ts";
import { sessionsConsole } from "#server/resources/sessions.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { readSettings } from "#server/core/platform/settings/read-settings.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { aTotp } from "#server/testing/a-second-factor.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aDomain, aMailbox, anAdmin, anApiKey } from "#server/testing/factories.ts";

import { settingsConsole } from "./settings.ts";

const cookieOf = (setCookie: string) => setCookie.split(";")[0]!;

async function aSignedInAdmin(overrides: Parameters<typeof anAdmin>[1] = {}) {
  const company = await aCompany({ name: "Alder" });
  const admin = await anAdmin(company.id, { privileges: ["manage_settings"], ...overrides });
  return { ...admin, company, cookie: cookieOf(await startSession(db(), admin.id)) };
}

const storedCompany = async (id: string) =>
  (await db().select().from(companies).where(eq(companies.id, id)))[0]!;
const actions = async (id: string) =>
  (await db().select().from(auditEntries).where(eq(auditEntries.companyId, id))).map(
    ({ action }) => action,
  );
const change = (cookie: string, body: object) => call(settingsConsole.update, { cookie, body });

test("reads and updates settings, with an audit entry for each change", async () => {
  const { company, email, cookie } = await aSignedInAdmin();
  await anApiKey(company.id);
  await aMailbox(await aDomain(company.id));
  expect((await call(settingsConsole.get, { cookie })).body).toMatchObject({
    name: "Alder",
    allowedAddresses: [],
    outgoingScan: "off",
    outgoingScanMinimum: "off",
    sessionHoursMax: 336,
    secondFactorRequired: false,
    apiKeys: 1,
    admins: 2,
    mailboxes: 1,
    adminsWithoutSecondFactor: expect.arrayContaining([{ email, name: "" }]) as unknown,
  });
  const changes = {
    name: " Alder & Sons ",
    greylisting: true,
    outgoingScan: "hold" as const,
    allowedAddresses: ["192.0.2.9/24", "2001:DB8::1"],
    sessionHoursMax: 8,
  };
  expect((await change(cookie, changes)).status).toBe(200);
  expect(await storedCompany(company.id)).toMatchObject({
    name: "Alder & Sons",
    greylisting: true,
    outgoingScan: "hold",
    allowedAddresses: ["192.0.2.0/24", "2001:db8::1"],
    sessionHoursMax: 8,
  });
  expect((await actions(company.id)).slice(1)).toEqual([
    "company.renamed",
    "company.greylisting_enabled",
    "company.outgoing_scan_changed",
    "company.allowed_addresses_changed",
    "company.session_hours_changed",
  ]);
  // Saving the same values again adds no entries.
  const { name, sessionHoursMax, outgoingScan } = changes;
  await change(cookie, { name, sessionHoursMax, outgoingScan, greylisting: true });
  expect(await actions(company.id)).toHaveLength(1 + 5);
});

test("shows the least that the operator requires about outgoing spam, and rejects less", async () => {
  const { cookie } = await aSignedInAdmin();
  await changeSetting(db(), "outgoing_scan_minimum", "reject");
  const { body } = await call(settingsConsole.get, { cookie });
  expect(body).toMatchObject({ outgoingScan: "reject", outgoingScanMinimum: "reject" });
  expect((await change(cookie, { outgoingScan: "off" })).status).toBe(422);
  expect((await change(cookie, { outgoingScan: "hold" })).status).toBe(200);
  await changeSetting(db(), "outgoing_scan_minimum", "off");
});

test.each([
  ["name", { name: " " }],
  ["name", { name: "a\nb" }],
  ["allowed_addresses", { allowedAddresses: ["192.0.2.300"] }],
  ["session_hours_max", { sessionHoursMax: 0 }],
  ["session_hours_max", { sessionHoursMax: 337 }],
  ["session_hours_max", { sessionHoursMax: 1.5 }],
])("rejects an invalid %s without changing other settings", async (field, body) => {
  const { company, cookie } = await aSignedInAdmin();
  const answered = await change(cookie, { greylisting: true, ...body });
  expect(answered.status).toBe(422);
  expect((answered.body as { message: string }).message).toMatch(new RegExp(`^${field}: `));
  expect(await storedCompany(company.id)).toMatchObject({ greylisting: false, name: "Alder" });
});

test("a shorter session length ends older sessions immediately", async () => {
  const { id, cookie } = await aSignedInAdmin();
  await db()
    .update(sessions)
    .set({ createdAt: sql`clock_timestamp() - interval '2 hours'` })
    .where(eq(sessions.userId, id));
  expect((await change(cookie, { sessionHoursMax: 3 })).status).toBe(200);
  expect((await call(sessionsConsole.getMe, { cookie })).status).toBe(200);
  await change(cookie, { sessionHoursMax: 2 });
  expect((await call(sessionsConsole.getMe, { cookie })).status).toBe(401);
});

test("requires a second factor only if the admin has one; others must set one up", async () => {
  const { email, company, cookie } = await aSignedInAdmin();
  const other = await anAdmin(company.id, { privileges: ["manage_settings"] });
  const theirs = cookieOf(await startSession(db(), other.id));
  expect((await change(cookie, { secondFactorRequired: true })).body).toMatchObject({
    message: "Set up a second factor for yourself first",
  });
  await aTotp(email);
  expect((await change(cookie, { secondFactorRequired: true })).status).toBe(200);
  expect((await call(settingsConsole.get, { cookie })).status).toBe(200);
  expect((await call(settingsConsole.get, { cookie: theirs })).body).toMatchObject({
    name: "second_factor_due",
  });
  expect((await call(sessionsConsole.getMe, { cookie: theirs })).body).toMatchObject({
    secondFactorDue: true,
  });
  await db().update(admins).set({ isOwner: true }).where(eq(admins.email, email));
  expect((await change(cookie, { secondFactorRequired: false })).status).toBe(200);
  expect(await actions(company.id)).toEqual([
    "company.second_factor_required",
    "company.second_factor_optional",
  ]);
});

test("only owners can relax the protection of sign-in and API keys", async () => {
  const { email, company, cookie } = await aSignedInAdmin();
  const owner = await anAdmin(company.id, { isOwner: true });
  await aTotp(owner.email);
  await aTotp(email);
  const owners = cookieOf(await startSession(db(), owner.id));
  const ranges = ["192.0.2.0/24", "2001:db8::/32"];
  const stricter = {
    secondFactorRequired: true,
    sessionHoursMax: 8,
    allowedAddresses: ranges,
  };
  expect((await change(cookie, stricter)).status).toBe(200);
  for (const body of [
    { secondFactorRequired: false },
    { sessionHoursMax: 9 },
    ...[[], [...ranges, "198.51.100.1"], ["192.0.0.0/16"], ["2001:db8::/31"]].map(
      (allowedAddresses) => ({ allowedAddresses }),
    ),
  ]) {
    expect(await change(cookie, { name: "Taken over", ...body })).toMatchObject({
      status: 403,
      body: {
        name: "invalid_permission",
        message: expect.stringMatching(/^Only an owner can /) as string,
      },
    });
    expect((await storedCompany(company.id)).name).toBe("Alder");
  }
  const narrower = { sessionHoursMax: 7, allowedAddresses: ["192.0.2.128/25", "2001:db8::1"] };
  expect((await change(cookie, narrower)).status).toBe(200);
  const open = { secondFactorRequired: false, sessionHoursMax: 336, allowedAddresses: [] };
  expect((await change(owners, open)).status).toBe(200);
});

test("a session that isn't used ends", async () => {
  const { id, cookie } = await aSignedInAdmin();
  const used = (minutes: number) =>
    db()
      .update(sessions)
      .set({
        createdAt: sql`clock_timestamp() - interval '1 day'`,
        lastUsedAt: sql`clock_timestamp() - make_interval(mins => ${minutes})`,
      })
      .where(eq(sessions.userId, id));
  await used(719);
  expect((await call(sessionsConsole.getMe, { cookie })).status).toBe(200);
  // Using the session restarts its idle time, which is written once a minute.
  await used(0);
  await changeSetting(db(), "console_idle_minutes", "30");
  await used(29);
  expect((await call(sessionsConsole.getMe, { cookie })).status).toBe(200);
  expect((await call(sessionsConsole.getMe, { cookie })).status).toBe(200);
  await used(31);
  expect((await call(sessionsConsole.getMe, { cookie })).status).toBe(401);
  await changeSetting(db(), "console_idle_minutes", "720");
  expect((await call(sessionsConsole.getMe, { cookie })).status).toBe(200);
  await used(721);
  expect((await call(sessionsConsole.getMe, { cookie })).status).toBe(401);
});

test("returns usage and limits", async () => {
  const { company, cookie } = await aSignedInAdmin();
  await db()
    .update(companies)
    .set({ monthlyAllowance: 1000, domainsMax: 3 })
    .where(eq(companies.id, company.id));
  await aDomain(company.id);
  const month = new Date().toISOString().slice(0, 8) + "01";
  await db()
    .insert(sendingTotals)
    .values({ scope: company.id, month, monthRecipients: 120, scheduledRecipients: 7 });
  const settings = await readSettings(db());
  expect((await call(settingsConsole.getUsage, { cookie })).body).toEqual({
    plan: null,
    month: { used: 120, allowed: 1000 },
    hour: { used: 0, allowed: 450 },
    scheduled: { used: 7, allowed: 20_000 },
    domains: { used: 1, allowed: 3 },
    mailboxes: { used: 0, allowed: null },
    storage: { usedBytes: 0, deletedBytes: 0, allowedBytes: 0 },
    largestMailboxMb: null,
    requestsPerSecond: settings.request_rate_per_second,
    requestsInProgress: settings.requests_in_progress,
  });
  await db()
    .update(sendingTotals)
    .set({ month: "2020-01-01" })
    .where(eq(sendingTotals.scope, company.id));
  expect((await call(settingsConsole.getUsage, { cookie })).body).toMatchObject({
    month: { used: 0 },
  });
});

test("manage_admins lists and ends sessions; only owners end owners' sessions", async () => {
  const { company, cookie } = await aSignedInAdmin({ privileges: ["manage_admins"] });
  const owner = await anAdmin(company.id, { isOwner: true });
  const owners = cookieOf(await startSession(db(), owner.id));
  const colleague = await anAdmin(company.id);
  const theirs = cookieOf(await startSession(db(), colleague.id));
  await anAdmin((await aCompany()).id);
  type Listed = { data: { id: string; email: string }[] };
  const { data } = (await call(settingsConsole.listCompanySessions, { cookie })).body as Listed;
  expect(data).toHaveLength(3);
  const named = (email: string) => ({ id: data.find((row) => row.email === email)!.id });
  const end = (cookie: string, params: { id: string }) =>
    call(settingsConsole.endCompanySession, { cookie, params });

  const stranger = await aSignedInAdmin({ isOwner: true });
  expect((await end(stranger.cookie, named(colleague.email))).status).toBe(404);
  expect((await end(cookie, named(owner.email))).status).toBe(403);
  expect((await end(cookie, named(colleague.email))).status).toBe(200);
  expect((await call(sessionsConsole.getMe, { cookie: theirs })).status).toBe(401);
  expect((await call(sessionsConsole.getMe, { cookie: owners })).status).toBe(200);
  expect((await end(owners, named(owner.email))).status).toBe(200);
});

test("returns 403 without the privilege", async () => {
  const { cookie } = await aSignedInAdmin({ privileges: ["api_controls", "view_audit"] });
  const params = { id: "0".repeat(32) };
  for (const answered of [
    await call(settingsConsole.get, { cookie }),
    await call(settingsConsole.getUsage, { cookie }),
    await change(cookie, { name: "Mine" }),
    await call(settingsConsole.listCompanySessions, { cookie }),
    await call(settingsConsole.endCompanySession, { cookie, params }),
  ])
    expect(answered).toMatchObject({ status: 403, body: { name: "invalid_permission" } });
});
