import type { Page } from "@playwright/test";

import { mailboxUsage, sendingTotals } from "#drizzle/schema/index.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aMailbox, anAdmin, aWebhook } from "#server/testing/factories.ts";
import { causeProblems } from "#server/testing/troubled-company.ts";

import { seedEmailsByDay } from "./seed-metrics.ts";
import { failRequests, stallRequests, type Shot } from "./screenshot.ts";

const ALL = [
  "api_controls",
  "domains",
  "view_users",
  "reset_user_passwords",
  "update_users",
  "manage_settings",
];

/** The overview and the metrics: with and without problems, new, and with few privileges. */
export async function overviewShots(): Promise<Shot[]> {
  const busy = await aCompanyWithHistory();
  await causeProblems(busy.companyId);
  await causeMoreProblems(busy.companyId);
  const well = await aCompanyWithHistory();
  const usual = await aTypicalCompany();
  const oneDay = await aCompanyWithHistory(1);
  const { id: newId } = await aCompany({ name: "Northwind Trading" });
  const { id: sendingId } = await aCompany({ name: "Northwind Trading" });
  await aDomain(sendingId);
  const person = await anAdminSession(busy.companyId, ALL);
  const calm = await anAdminSession(well.companyId, ALL);
  const short = await anAdminSession(oneDay.companyId, ALL);
  const fresh = await anAdminSession(newId, ALL);
  const first = await anAdminSession(sendingId, ALL);
  const both = await anAdminSession(newId, [...ALL, "create_users", "manage_admins"]);
  const few = await anAdminSession(busy.companyId, ["view_users"]);
  const without = await anAdminSession(busy.companyId, []);
  const [overview, metrics] = ["/console/overview", "/console/metrics"];
  return [
    { name: "overview-busy", path: overview, as: person, act: waitForBars },
    { name: "overview-well", path: overview, as: calm, act: waitForBars },
    {
      name: "overview-usual",
      path: overview,
      as: await anAdminSession(usual, ALL),
      act: waitForBars,
    },
    { name: "overview-new", path: overview, as: fresh },
    { name: "overview-first-email", path: overview, as: first },
    { name: "overview-goals", path: overview, as: both },
    { name: "overview-both", path: overview, as: both, act: chooseBoth },
    { name: "overview-snooze", path: overview, as: person, act: openSnooze },
    { name: "overview-mailboxes-only", path: overview, as: few },
    { name: "overview-no-privilege", path: overview, as: without },
    { name: "overview-loading", path: overview, as: person, before: stallRequests },
    { name: "overview-error", path: overview, as: person, before: failRequests },
    { name: "metrics-full", path: metrics, as: calm, act: waitForBars },
    { name: "metrics-24h", path: `${metrics}?period=24h`, as: calm, act: waitForBars },
    { name: "metrics-year", path: `${metrics}?period=12m`, as: calm, act: waitForBars },
    { name: "metrics-one-day", path: metrics, as: short, act: waitForBars },
    { name: "metrics-tables", path: `${metrics}?period=7d`, as: calm, act: openTables },
    { name: "metrics-tip", path: metrics, as: calm, act: pointAtBar },
    { name: "metrics-empty", path: metrics, as: fresh },
    { name: "metrics-loading", path: metrics, as: calm, before: stallRequests },
    { name: "metrics-error", path: metrics, as: calm, before: failRequests },
    { name: "metrics-no-privilege", path: metrics, as: few },
  ];
}

/** A typical company with a few issues. */
async function aTypicalCompany() {
  const { companyId } = await aCompanyWithHistory(120, { monthlyAllowance: 100_000 });
  const now = new Date().toISOString();
  await aDomain(companyId, {
    name: `news-${companyId.slice(-4)}.northwind.example`,
    status: "pending",
  });
  const endpoint = "https://billing.northwind.example/in";
  await aWebhook(companyId, { endpoint, failures: 12, failingSince: now });
  const month = `${now.slice(0, 7)}-01`;
  await db().insert(sendingTotals).values({ scope: companyId, month, monthRecipients: 46_310 });
  return companyId;
}

async function aCompanyWithHistory(days = 120, more: { monthlyAllowance?: number } = {}) {
  const { id: companyId } = await aCompany({ name: "Northwind Trading", ...more });
  const tail = companyId.slice(-4);
  const shop = await aDomain(companyId, { name: `mail-${tail}.northwind.example` });
  await seedEmailsByDay(shop, { days, perDay: 120 });
  const receipts = await aDomain(companyId, { name: `receipts-${tail}.northwind.example` });
  await seedEmailsByDay(receipts, { days, perDay: 40 });
  return { companyId };
}

/** Several of a kind. */
async function causeMoreProblems(companyId: string) {
  const tail = companyId.slice(-4);
  const domain = await aDomain(companyId, { name: `team-${tail}.northwind.example` });
  await aDomain(companyId, { name: `events-${tail}.northwind.example`, status: "pending" });
  const now = new Date().toISOString();
  const endpoint = "https://stock.northwind.example/in";
  await aWebhook(companyId, { endpoint, failures: 3, failingSince: now });
  for (let number = 1; number <= 36; number += 1) {
    const { address } = await aMailbox(domain, { quotaMb: 1_000 });
    const usedBytes = (900 + number) * 1024 * 1024;
    await db().insert(mailboxUsage).values({ address, usedBytes });
  }
}

let people = 0;

async function anAdminSession(companyId: string, privileges: string[]) {
  const email = `ann.lee${(people += 1) > 1 ? people : ""}@northwind.example`;
  const admin = await anAdmin(companyId, { privileges, name: "Ann Lee", email });
  return { cookie: await startSession(db(), admin.id) };
}

async function waitForBars(page: Page) {
  await page.locator("[data-bar] rect").first().waitFor();
}

async function chooseBoth(page: Page) {
  await page.getByRole("button", { name: "Both" }).click();
  await page.getByText("0 of 8 steps done").waitFor();
}

async function openSnooze(page: Page) {
  await waitForBars(page);
  await page.getByText("Show domains").first().click();
  const snooze = page.getByRole("button", { name: "Snooze: Full" });
  // Later looks find it snoozed.
  if (await snooze.isVisible()) {
    await snooze.click();
    await page.getByRole("menuitem", { name: "For a week" }).click();
  }
  await page.getByText("1 snoozed problem").click();
  await page.getByRole("button", { name: "Snooze: Failing" }).click();
}

async function openTables(page: Page) {
  await waitForBars(page);
  for (const summary of await page.getByText("Show as table").all()) await summary.click();
}

async function pointAtBar(page: Page) {
  await waitForBars(page);
  await page.locator("[data-bar] rect").nth(8).hover({ force: true });
}
