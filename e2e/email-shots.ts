import type { Page } from "@playwright/test";

import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, anAdmin, anApiKey } from "#server/testing/factories.ts";

import { seedFailedEmail, seedEmailWithProblems } from "./seed-emails.ts";
import { seedEmails } from "./seed.ts";
import { failRequests, stallRequests, type Shot } from "./screenshot.ts";

/** Screenshots of the email pages: the list, an email with every feature, and the compose form. */
export async function emailShots(): Promise<Shot[]> {
  const full = await anAdminSession(["api_controls"]);
  const { id: apiKeyId } = await anApiKey(full.companyId);
  await seedEmails({ ...full, apiKeyId }, 45);
  const inTrouble = `/console/emails/${await seedEmailWithProblems(full)}`;
  const failed = `/console/emails/${await seedFailedEmail(full)}`;
  const empty = await anAdminSession(["api_controls"]);
  const without = await anAdminSession(["domains"]);
  const homeless = await anAdminSession(["api_controls"], { hasDomain: false });
  const list = "/console/emails";
  const scheduled = `${list}?status=scheduled`;
  const compose = `${list}/new`;
  return [
    { name: "emails-full", path: list, as: full },
    { name: "emails-filtered", path: `${list}?status=bounced&subject=receipt`, as: full },
    { name: "emails-no-results", path: `${list}?search=no-such-recipient`, as: full },
    { name: "emails-searching", path: `${list}?search=x`, as: full, before: searchLong },
    { name: "emails-empty", path: list, as: empty },
    { name: "emails-empty-no-domain", path: list, as: homeless },
    { name: "emails-loading", path: list, as: full, before: stallRequests },
    { name: "emails-error", path: list, as: full, before: failRequests },
    { name: "emails-no-privilege", path: list, as: without },
    { name: "email-full", path: inTrouble, as: full, act: waitForPreview },
    { name: "email-source", path: inTrouble, as: full, act: openTab("Source") },
    { name: "email-code", path: inTrouble, as: full, act: openTab("Code") },
    { name: "email-resend", path: inTrouble, as: full, act: press("Resend email") },
    { name: "email-failed", path: failed, as: full },
    { name: "email-scheduled", path: compose, as: empty, act: schedule },
    { name: "email-reschedule", path: compose, as: empty, act: reschedule },
    { name: "email-cancel", path: compose, as: empty, act: openCancelDialog },
    { name: "email-loading", path: inTrouble, as: full, before: stallRequests },
    { name: "email-error", path: inTrouble, as: full, before: failRequests },
    { name: "email-unknown", path: inTrouble, as: empty },
    { name: "emails-new", path: compose, as: empty },
    { name: "emails-new-html", path: compose, as: empty, act: enterHtml },
    { name: "emails-new-errors", path: compose, as: empty, act: submitInvalid },
    { name: "emails-new-no-domain", path: compose, as: homeless },
    { name: "emails-scheduled", path: scheduled, as: full },
  ];
}

async function anAdminSession(privileges: string[], { hasDomain = true } = {}) {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  const tail = companyId.slice(-4);
  const domain = `mail-${tail}.northwind.example`;
  if (hasDomain) await aDomain(companyId, { name: domain });
  const email = `ann.lee+${tail}@northwind.example`;
  const admin = await anAdmin(companyId, { privileges, name: "Ann Lee", email });
  return { cookie: await startSession(db(), admin.id), companyId, domain };
}

async function waitForPreview(page: Page) {
  await page.frameLocator("iframe").getByText("See your order").waitFor();
}

const openTab = (name: string) => async (page: Page) => {
  await page.getByRole("tab", { name }).click();
  await page.getByRole("tabpanel", { name }).locator("pre").waitFor();
};

const press = (name: string) => async (page: Page) => {
  await page.getByRole("button", { name }).click();
  await page.getByRole("dialog").getByRole("button", { name }).waitFor();
};

/** Leaves a search unfinished. */
async function searchLong(page: Page) {
  let steps = 0;
  await page.route("**/console/api/emails/list?*", async (route) => {
    if (++steps > 1) return new Promise<void>(() => {});
    const end = { id: "01900000-0000-7000-8000-000000000000", at: "2026-03-04T12:00:00.000Z" };
    await route.fulfill({
      json: { hasMore: true, data: [], searchedTo: end },
    });
  });
}

async function schedule(page: Page) {
  const at = new Date(Date.now() + 26 * 3_600_000).toISOString().slice(0, 16);
  await page.getByLabel("Send time").fill(at);
  await page.getByRole("button", { name: "Schedule email" }).click();
  await page.getByRole("button", { name: "Reschedule email" }).waitFor();
}

async function reschedule(page: Page) {
  await schedule(page);
  await press("Reschedule email")(page);
}

async function openCancelDialog(page: Page) {
  await schedule(page);
  await press("Cancel email")(page);
}

async function enterHtml(page: Page) {
  await page.getByText("HTML", { exact: true }).click();
  await page
    .getByLabel("Content", { exact: true })
    .fill(`<h1 style="color:#123a5c">Hello Ann</h1>\n<p>Your parcel is on its way.</p>`);
  await page.frameLocator("iframe").getByText("Hello Ann").waitFor();
}

async function submitInvalid(page: Page) {
  await page.getByLabel("To", { exact: true }).fill("ann@example.net, ben");
  await page.getByLabel("Tags").fill("kind");
  await page.getByRole("button", { name: "Send email" }).click();
  await page.getByText("“ben” must be").waitFor();
}
