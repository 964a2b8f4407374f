import type { Page } from "@playwright/test";

import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";
import { aQueueInEveryState } from "#server/testing/queue-in-every-state.ts";

import { aMailLog, anOperator, companiesInEveryState } from "./seed-operate.ts";
import { failRequests, stallRequests, type Shot } from "./screenshot.ts";

export async function operateShots(): Promise<Shot[]> {
  const person = await anOperator();
  const owner = await anAdmin((await aCompany()).id, { isOwner: true });
  const without = { cookie: await startSession(db(), owner.id) };
  const { northwind, suspended, plan } = await companiesInEveryState();
  await aQueueInEveryState(northwind.id);
  await aMailLog(northwind.id);
  const ann = await anAdmin(northwind.id, { isOwner: true, name: "Ann Lee" });
  const admin = { cookie: await startSession(db(), ann.id) };
  const at = "/console/operate";
  const companies = `${at}/companies`;
  const log = `${at}/mail-log`;
  const detail = `${companies}/${northwind.id}`;
  const changePlan = async (page: Page) => {
    await page.getByRole("button", { name: `Edit ${plan.name}` }).click();
    await page.getByLabel("Domains").fill("0");
    await page.getByRole("button", { name: "Review changes" }).click();
    await page.getByText("will get the new limits").waitFor();
  };
  return [
    { name: "operate-companies", path: companies, as: person },
    { name: "operate-companies-none", path: `${companies}?search=nobody-at-all`, as: person },
    { name: "operate-companies-loading", path: companies, as: person, before: stallRequests },
    { name: "operate-companies-error", path: companies, as: person, before: failRequests },
    { name: "operate-companies-no-operator", path: companies, as: without },
    { name: "operate-company-new", path: `${companies}/new`, as: person },
    { name: "operate-company-new-link", path: `${companies}/new`, as: person, act: create },
    { name: "operate-company", path: detail, as: person },
    { name: "operate-company-plan", path: detail, as: person, act: changeLimits },
    { name: "operate-company-suspend", path: detail, as: person, act: openSuspendDialog },
    { name: "operate-company-invoice", path: detail, as: person, act: openInvoiceDialog },
    { name: "operate-company-suspended", path: `${companies}/${suspended.id}`, as: person },
    { name: "operate-plans", path: `${at}/plans`, as: person },
    { name: "operate-plan-change", path: `${at}/plans`, as: person, act: changePlan },
    { name: "operate-queue", path: `${at}/queue`, as: person },
    { name: "operate-queue-company", path: `${at}/queue?by=company`, as: person },
    {
      name: "operate-queue-waiting",
      path: `${at}/queue?kind=destination&subject=slow.example`,
      as: person,
    },
    {
      name: "operate-queue-held",
      path: `${at}/queue?kind=destination&subject=held.example`,
      as: person,
    },
    { name: "operate-queue-hold", path: `${at}/queue`, as: person, act: openHoldDialog },
    { name: "operate-queue-error", path: `${at}/queue`, as: person, before: failRequests },
    { name: "operate-health", path: `${at}/health`, as: person },
    { name: "operate-health-warm-up", path: `${at}/health`, as: person, before: addWarmUps },
    { name: "operate-health-loading", path: `${at}/health`, as: person, before: stallRequests },
    { name: "operate-health-error", path: `${at}/health`, as: person, before: failRequests },
    { name: "operate-plans-loading", path: `${at}/plans`, as: person, before: stallRequests },
    { name: "operate-plan-new", path: `${at}/plans`, as: person, act: openPlanDialog },
    { name: "operate-queue-loading", path: `${at}/queue`, as: person, before: stallRequests },
    { name: "operate-company-unknown", path: `${companies}/${crypto.randomUUID()}`, as: person },
    { name: "operate-mail-log", path: log, as: person },
    { name: "operate-mail-log-outgoing", path: `${log}?tab=outgoing`, as: person },
    {
      name: "operate-mail-log-nothing",
      path: `${log}?tab=outgoing&search=nobody@nowhere.example`,
      as: person,
    },
    { name: "operate-mail-log-company", path: log, as: person, act: findCompany },
    { name: "operate-mail-log-entry", path: log, as: person, act: openEntry },
    {
      name: "operate-mail-log-attempt",
      path: `${log}?tab=outgoing`,
      as: person,
      act: openAttempt,
    },
    { name: "operate-mail-log-loading", path: log, as: person, before: stallRequests },
    { name: "operate-mail-log-error", path: log, as: person, before: failRequests },
    { name: "operate-company-mail-log", path: "/console/mail-log", as: admin },
    {
      name: "operate-company-mail-log-outgoing",
      path: "/console/mail-log?tab=outgoing",
      as: admin,
    },
    { name: "operate-mail-log-no-operator", path: log, as: without },
    { name: "operate-settings", path: `${at}/settings`, as: person, act: enterInvalidSetting },
    { name: "operate-settings-error", path: `${at}/settings`, as: person, before: failRequests },
    { name: "operate-erasure", path: `${at}/erasure`, as: person },
    { name: "operate-go-live", path: `${at}/go-live`, as: person },
  ];
}

/** Adds an alarm and two warm-ups to the server's answer. */
function addWarmUps(page: Page) {
  return page.route("**/console/api/operate/getHealth", async (route) => {
    const response = await route.fetch();
    const alarm = {
      name: "backup",
      severity: "critical",
      found: "The last backup is 3 days old",
      advice: "Run `posthouse backup`",
      raisedAt: new Date(Date.now() - 9e6).toISOString(),
    };
    const warmUp = { from: null, day: 4, days: 21, used: 412, quota: 675 };
    const warmUps = [
      { ...warmUp, provider: "google" },
      { ...warmUp, provider: "other", from: "news.northwind.example", used: 675 },
    ];
    const health = (await response.json()) as object;
    await route.fulfill({ response, json: { ...health, alarms: [alarm], warmUps } });
  });
}

async function create(page: Page) {
  await page.getByLabel("Company name").fill("Adventure Works");
  await page.getByLabel("Owner’s email address").fill("cay@adventure.example");
  await page.getByRole("button", { name: "Create company" }).click();
  await page.getByRole("dialog").getByText("/console/invitation").waitFor();
}

async function openSuspendDialog(page: Page) {
  await page.getByRole("button", { name: "Suspend company" }).click();
  await page.getByRole("dialog").getByRole("textbox").waitFor();
}

async function changeLimits(page: Page) {
  await page.getByRole("combobox", { name: "Plan" }).selectOption("Custom limits");
  await page.getByRole("textbox", { name: "Domains" }).fill("0");
  await page.getByRole("textbox", { name: "Recipients per month" }).fill("1000");
  await page.getByRole("button", { name: "Save plan" }).click();
  await page.getByRole("dialog").waitFor();
}

async function openInvoiceDialog(page: Page) {
  await page.getByRole("button", { name: "Mark invoice as overdue" }).click();
  await page.getByRole("dialog").getByLabel("Invoice number").waitFor();
}

async function openHoldDialog(page: Page) {
  await page.getByRole("button", { name: "Hold slow.example" }).click();
  await page.getByRole("dialog").getByLabel("Reason").waitFor();
}

async function openPlanDialog(page: Page) {
  await page.getByRole("button", { name: "Create plan" }).first().click();
  await page.getByRole("dialog").getByRole("textbox").first().waitFor();
}

async function findCompany(page: Page) {
  const filters = page.getByRole("button", { name: /^Filters/ });
  if (await filters.isVisible()) await filters.click();
  await page.getByRole("button", { name: "All companies" }).click();
  await page.getByRole("combobox", { name: "Company" }).fill("north");
  await page.getByRole("option", { name: /^Northwind/ }).waitFor();
}

async function openEntry(page: Page) {
  await page.getByRole("button", { name: "orders@far-away.example" }).click();
  await page.getByRole("dialog").getByText("View delivery attempts").waitFor();
}

async function openAttempt(page: Page) {
  await page
    .getByRole("row", { name: /ben\.okafor.*Delayed/ })
    .getByRole("button")
    .click();
  await page.getByRole("dialog").getByText("View all attempts").waitFor();
}

async function enterInvalidSetting(page: Page) {
  const setting = "Pending test events per webhook";
  await page.getByLabel(setting, { exact: true }).fill("0");
  await page.getByRole("button", { name: "Save" }).click();
  await page.getByText(`${setting} must be a whole number`).waitFor();
}
