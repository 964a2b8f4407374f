import { readFile } from "node:fs/promises";

import type { Page } from "@playwright/test";

import { auditEntries, mailboxes } from "#drizzle/schema/index.ts";
import { createUnit } from "#server/core/mailboxes/org-units/units.ts";
import { type Privilege, UNIT_PRIVILEGES } from "#server/universal/privileges.ts";
import { db } from "#server/db/pool.ts";
import { aSessionOfRole } from "#server/testing/console-mailboxes.ts";
import { aContext, aMailbox } from "#server/testing/factories.ts";

import { expect, test } from "./mail-server.ts";
import { signInWithCookie } from "./session.ts";
import {
  aCountedMailbox,
  companyDomain,
  manyMailboxes,
  seedMailboxActivity,
} from "./seed-mailboxes.ts";

const LIST = "/console/mailboxes";
const ALL = { privileges: [...UNIT_PRIVILEGES] as Privilege[] };
const pageOf = (address: string, tab: string) =>
  `${LIST}/${encodeURIComponent(address)}?tab=${tab}`;
const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true });
const chooseAll = (page: Page) => page.getByRole("checkbox", { name: "Select all on this page" });
const dialog = (page: Page) => page.getByRole("dialog");
const mailboxesOf = async (company: string) =>
  (await db().select().from(mailboxes)).filter(({ companyId }) => companyId === company);
const audited = async (company: string, act: string) => {
  const entries = await db().select().from(auditEntries);
  return entries.filter(({ companyId, action }) => companyId === company && action === act).length;
};

/** Disables printing, so that the sheets stay in the page. */
const neverPrint = (page: Page) =>
  page.addInitScript(() => {
    window.print = () => {};
  });

test("the welcome sheet fits one page, and its password never leaves the browser", async ({
  page,
  signIn,
}) => {
  const { domain } = await signIn(ALL);
  await neverPrint(page);
  const urls: string[] = [];
  page.on("request", (request) => urls.push(`${request.url()} ${request.postData() ?? ""}`));
  await page.goto(`${LIST}/new`);
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Ann Lee");
  await page.getByRole("textbox", { name: "Address", exact: true }).fill("ann.lee");
  await button(page, "Create mailbox").click();
  const password = (await dialog(page).locator("code").textContent())!;
  await button(page, "Print welcome sheet").click();
  const sheet = page.getByLabel(`Welcome sheet for ann.lee@${domain}`);
  await expect(sheet).toBeAttached();
  await expect(sheet).toBeHidden();
  await page.emulateMedia({ media: "print" });
  await expect(sheet).toBeVisible();
  await expect(dialog(page)).toBeHidden();
  for (const text of ["Welcome, Ann Lee", password, "/account", "Reading mail (IMAP)", "993"])
    await expect(sheet).toContainText(text);
  await expect(sheet.getByRole("img", { name: /QR code/ })).toBeVisible();
  const pdf = (await page.pdf({ format: "A4" })).toString("latin1");
  expect(pdf.match(/\/Type\s*\/Page\b/g)).toHaveLength(1);
  await page.emulateMedia({ media: "screen" });
  await expect(dialog(page)).toBeVisible();
  expect(urls.filter((url) => url.includes(password))).toEqual([]);
  await page.evaluate(() => window.dispatchEvent(new Event("afterprint")));
  await expect(sheet).toHaveCount(0);
});

test("several mailboxes are suspended and restored, and unaffected ones are skipped", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn(ALL);
  const domain = await companyDomain(companyId);
  for (const name of ["a", "b", "c"]) await aMailbox(domain, { address: `${name}@${domain.name}` });
  const suspendedAt = new Date().toISOString();
  await aMailbox(domain, { address: `d@${domain.name}`, suspendedAt });
  await page.goto(LIST);
  await chooseAll(page).check();
  await expect(page.getByText("4 mailboxes selected")).toBeVisible();
  await page.getByLabel(`Select c@${domain.name}`).uncheck();
  await button(page, "Suspend").click();
  const forecast = dialog(page).getByRole("list", { name: "What will happen" });
  await expect(forecast.getByRole("listitem").first()).toContainText("already suspended");
  await button(page, "Suspend 2 mailboxes").click();
  await expect(dialog(page)).toContainText("Suspended: 2 mailboxes.");
  await button(page, "Close").click();
  await expect(page.getByRole("row", { name: /Suspended/ })).toHaveCount(3);
  expect(await audited(companyId, "mailbox.suspended")).toBe(2);
  // Skipped mailboxes stay selected.
  await expect(page.getByText("1 mailbox selected")).toBeVisible();
  await button(page, "Restore").click();
  await button(page, "Restore 1 mailbox").click();
  await expect(dialog(page)).toContainText("Restored: 1 mailbox.");
});

test("all matching mailboxes get temporary passwords, as a CSV file and as welcome sheets", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn(ALL);
  await neverPrint(page);
  const domain = await companyDomain(companyId);
  for (let i = 0; i < 60; i++)
    await aMailbox(domain, {
      address: `person${i}@${domain.name}`,
      name: i === 7 ? "=SUM(A1)" : "Pat",
    });
  await aMailbox(domain, { address: `other@${domain.name}` });
  await page.goto(`${LIST}?search=person`);
  await chooseAll(page).check();
  await button(page, "Select all 60 mailboxes").click();
  await page.getByLabel("Search mailboxes").fill("person5");
  await expect(page.getByText("60 mailboxes selected")).toBeVisible();
  await button(page, "Clear selection").click();
  await expect(page.getByRole("row")).toHaveCount(12);
  await chooseAll(page).check();
  await button(page, "Reset passwords").click();
  await button(page, "Reset 11 passwords").click();
  await expect(dialog(page)).toContainText("11 temporary passwords were created");
  await page.keyboard.press("Escape");
  const downloading = page.waitForEvent("download");
  await button(page, "Download list (CSV)").click();
  const file = await readFile(await (await downloading).path(), "utf8");
  expect(file.trim().split("\r\n")).toHaveLength(12);
  await button(page, "Print welcome sheets").click();
  await expect(page.getByLabel(/^Welcome sheet for/)).toHaveCount(11);
  await button(page, "I’ve saved them").click();
  await expect(dialog(page)).toHaveCount(0);
  expect(await audited(companyId, "mailbox.password_reset")).toBe(11);
});

test.describe("a request that fails", () => {
  test.use({ expectedConsoleErrors: /ERR_FAILED/ });
  test("several mailboxes are moved and resized, and failures are retried", async ({
    page,
    signIn,
  }) => {
    const { companyId } = await signIn(ALL);
    const { sales } = await manyMailboxes(companyId, 4);
    await page.goto(LIST);
    await chooseAll(page).check();
    await button(page, "Move").click();
    await button(page, /^Move 7 mailboxes/).click();
    await expect(dialog(page)).toContainText("Select a unit");
    await dialog(page).getByLabel("Unit", { exact: true }).selectOption({ label: "\u2003Sales" });
    await page.route(/mailboxes\/update\?email=ann\.lee%40/, (route) => route.abort(), {
      times: 1,
    });
    await dialog(page)
      .getByRole("button", { name: /^Move \d/ })
      .click();
    await expect(dialog(page)).toContainText("Can’t reach the server");
    await dialog(page)
      .getByRole("button", { name: /^Retry/ })
      .click();
    await expect(dialog(page)).toContainText(/Moved: \d mailboxes\./);
    await expect(dialog(page)).not.toContainText("Remaining");
    await button(page, "Close").click();
    const moved = await mailboxesOf(companyId);
    expect(moved.every(({ orgUnitId }) => orgUnitId === sales)).toBe(true);
    // Mailboxes already in the unit were skipped and stay selected.
    await button(page, "Clear selection").click();
    await chooseAll(page).check();
    await button(page, "Change storage").click();
    await page.getByLabel("Storage limit in MB").fill("2048");
    await expect(dialog(page)).toContainText("will be full");
    await button(page, "Change storage limit of 7 mailboxes").click();
    await expect(dialog(page)).toContainText("Storage limit changed: 7 mailboxes.");
    await button(page, "Close").click();
    expect((await mailboxesOf(companyId)).every(({ quotaMb }) => quotaMb === 2_048)).toBe(true);
  });
});

test("an owner deletes several mailboxes by typing their number", async ({ page, signIn }) => {
  const { companyId } = await signIn({ isOwner: true });
  const domain = await companyDomain(companyId);
  for (const name of ["a", "b"])
    await aCountedMailbox(domain, {
      address: `${name}@${domain.name}`,
      usedMb: 1_536,
      messages: 1_204,
    });
  const { address: keep } = await aMailbox(domain, { address: `keep@${domain.name}` });
  await page.goto(LIST);
  for (const name of ["a", "b", "keep"])
    await page.getByLabel(`Select ${name}@${domain.name}`).check();
  await button(page, "Delete").click();
  await dialog(page).getByRole("combobox").fill("keep");
  await page.getByRole("option", { name: keep }).click();
  await expect(dialog(page)).toContainText("Skipped: receives the others’ mail");
  await expect(dialog(page)).toContainText("2 mailboxes with 3 GB of mail will be deleted.");
  await page.getByLabel("Type 2 to confirm").fill("3");
  await page.keyboard.press("Enter");
  await expect(dialog(page)).toContainText("The number must be 2");
  await page.getByLabel("Type 2 to confirm").fill("2");
  await page.keyboard.press("Enter");
  await expect(dialog(page)).toContainText("Deleted: 2 mailboxes.");
  await button(page, "Close").click();
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.goto(pageOf(keep, "overview"));
  for (const name of ["a", "b"])
    await expect(page.getByText(`${name}@${domain.name}`).first()).toBeVisible();
});

test("an admin limited to a unit sees only its mailboxes", async ({ page, signIn, appliance }) => {
  const { companyId, domain } = await signIn();
  const sales = await createUnit(aContext(companyId), { parentId: null, name: "Sales" });
  const at = await companyDomain(companyId);
  await aMailbox(at, { address: `in@${domain}`, orgUnitId: sales });
  await aMailbox(at, { address: `out@${domain}` });
  await signInWithCookie(page, appliance.url, await aSessionOfRole(companyId, sales));
  await page.goto(LIST);
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.goto(pageOf(`out@${domain}`, "access"));
  await expect(page.getByText("Mailbox not found")).toBeVisible();
  await page.goto("/console/units");
  await expect(page.getByRole("treeitem")).toHaveCount(1);
  await expect(button(page, "Create unit")).toHaveCount(0);
  await page.goto(`${LIST}/import`);
  await page
    .getByLabel("CSV or JSON data")
    .fill(`email,name,unit\nnew@${domain},New,\nx@${domain},X,Elsewhere`);
  await button(page, "Continue").click();
  await expect(
    page.getByText("1 mailbox will be created. 1 line has errors and will be skipped"),
  ).toBeVisible();
  await expect(
    page.getByText("The unit Elsewhere doesn’t exist, or you can’t create mailboxes in it"),
  ).toBeVisible();
});

test("sessions are ended, an app password is revoked, and rules and policies are shown", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn(ALL);
  const { ann } = await manyMailboxes(companyId, 0);
  await seedMailboxActivity(companyId, ann);
  await page.goto(pageOf(ann, "access"));
  const open = page.getByRole("region", { name: "Active sessions" });
  await expect(open.getByText("Firefox on Windows")).toBeVisible();
  await open.getByRole("button", { name: "End session of Firefox on Windows" }).click();
  await expect(page.getByText("Session ended")).toBeVisible();
  await expect(open.getByText("Firefox on Windows")).toHaveCount(0);
  await open.getByRole("button", { name: "End all sessions" }).click();
  await dialog(page).getByRole("button", { name: "End all sessions" }).click();
  await expect(open.getByText("No active sessions.")).toBeVisible();
  await button(page, "Revoke Phone").click();
  await dialog(page).getByRole("button", { name: "Revoke app password" }).click();
  await expect(page.getByText("Thunderbird at home")).toBeVisible();
  await expect(button(page, "Revoke Phone")).toHaveCount(0);
  await page.getByRole("tab", { name: "Mail apps" }).click();
  await expect(page.getByRole("table", { name: "Settings" })).toContainText("993");
  await page.getByRole("tab", { name: "Overview" }).click();
  const rules = page.getByRole("region", { name: "Mail rules and sending" });
  await expect(rules).toContainText("To ann@example.net, keeping a copy");
  await expect(rules).toContainText(
    "“Away until January” from December 20, 2026 to January 6, 2027",
  );
  await expect(page.getByRole("region", { name: "Policies" })).toContainText("12 characters");
});

test("concurrent edits by two admins each save only the changed fields", async ({
  page,
  signIn,
  browser,
  appliance,
}) => {
  const { companyId } = await signIn(ALL);
  const { ann } = await manyMailboxes(companyId, 0);
  const context = await browser.newContext({
    baseURL: appliance.url,
    storageState: await page.context().storageState(),
  });
  const other = await context.newPage();
  await page.goto(pageOf(ann, "settings"));
  await other.goto(pageOf(ann, "settings"));
  await page.getByRole("textbox", { name: "Name", exact: true }).fill("Ann Ruiz");
  await other.getByRole("textbox", { name: "Storage limit in MB" }).fill("4096");
  await button(page, "Save changes").click();
  await expect(page.getByText("Saved")).toBeVisible();
  await button(other, "Save changes").click();
  await expect(other.getByText("Saved")).toBeVisible();
  await expect(other.getByRole("textbox", { name: "Name", exact: true })).toHaveValue("Ann Ruiz");
  const stored = (await mailboxesOf(companyId)).find(({ address }) => address === ann);
  expect(stored).toMatchObject({ name: "Ann Ruiz", quotaMb: 4_096 });
  await context.close();
});
