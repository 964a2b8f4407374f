import type { Page } from "@playwright/test";

import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, anAdmin } from "#server/testing/factories.ts";

import { anOperator } from "./seed-operate.ts";
import { openUserMenu } from "./session.ts";
import { seedEmails } from "./seed.ts";
import type { Shot } from "./screenshot.ts";

/** The shell: command palette, shortcuts, company switcher, expired session, failed page and offline. */
export async function shellShots(): Promise<Shot[]> {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  const domain = `mail-${companyId.slice(-4)}.northwind.example`;
  await aDomain(companyId, { name: domain });
  await seedEmails({ companyId, domain }, 12);
  const email = `ann.lee+${companyId.slice(-4)}@northwind.example`;
  const ann = await anAdmin(companyId, { isOwner: true, name: "Ann Lee", email });
  const { id: secondId } = await aCompany({ name: "Southwind Shipping and Logistics Ltd" });
  await anAdmin(secondId, { email, name: "Ann Lee", privileges: ["domains"] });
  const as = { cookie: await startSession(db(), ann.id) };
  const { id: readerId } = await anAdmin(companyId, { privileges: ["view_groups"] });
  const reader = { cookie: await startSession(db(), readerId) };
  const operator = await anOperator();
  const emails = "/console/emails";
  return [
    { name: "shell-palette", path: emails, as, act: openPalette },
    { name: "shell-palette-found", path: emails, as, act: searchPalette("northwind") },
    { name: "shell-palette-nothing", path: emails, as, act: searchPalette("zzzz") },
    { name: "shell-keys", path: emails, as, act: openShortcutList },
    { name: "shell-companies", path: emails, as, act: openCompanies, onlyOn: 1440 },
    { name: "shell-own", path: emails, as, act: openUserMenu, onlyOn: 1440 },
    { name: "shell-sign-in-again", path: emails, as, act: endSession },
    { name: "shell-page-failed", path: emails, as, before: failWithInvalidJson, act: waitForError },
    { name: "shell-offline", path: emails, as, act: goOffline },
    { name: "shell-refused", path: "/console/groups/new", as: reader },
    { name: "shell-refused-list", path: "/console/emails", as: reader },
    { name: "shell-help", path: "/console/help", as },
    { name: "shell-help-topic", path: "/console/help/dns-records", as },
    { name: "shell-checks", path: "/console/set-up?step=server", as: operator, act: waitForChecks },
  ];
}

async function openPalette(page: Page) {
  await page.getByRole("button", { name: "Search", exact: true }).first().click();
  await page.getByRole("dialog").getByRole("option", { name: "Overview" }).waitFor();
}

const searchPalette = (words: string) => async (page: Page) => {
  await openPalette(page);
  const answered = page.waitForResponse(/\/console\/api\/overview\/search\?/);
  await page.getByRole("dialog").getByRole("combobox").fill(words);
  await answered;
  await page
    .getByRole("dialog")
    .getByRole("option", { name: "Overview" })
    .waitFor({ state: "hidden" });
};

async function openShortcutList(page: Page) {
  await page.getByRole("row").nth(1).waitFor();
  await page.keyboard.press("?");
  await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
}

async function openCompanies(page: Page) {
  await page.getByRole("button", { name: "Northwind Trading" }).click();
  await page.getByRole("menuitem").first().waitFor();
}

/** The list notices the end of the session when it refreshes. */
async function endSession(page: Page) {
  const json = { statusCode: 401, name: "not_signed_in", message: "You are not signed in" };
  await page.getByRole("row").nth(1).waitFor();
  await page.route(/\/console\/api\//, (route) => route.fulfill({ status: 401, json }));
  await page.getByRole("dialog", { name: "Sign in again" }).waitFor();
}

/** A response that crashes the page. */
function failWithInvalidJson(page: Page) {
  return page.route(/\/console\/api\/emails\/list\?/, (route) =>
    route.fulfill({ json: { hasMore: false, data: [null], searchedTo: null } }),
  );
}

async function waitForError(page: Page) {
  await page.getByRole("heading", { name: "Something went wrong" }).waitFor();
}

async function goOffline(page: Page) {
  await page.getByRole("row").nth(1).waitFor();
  await page.context().setOffline(true);
  await page.getByText("You’re offline.").waitFor();
}

async function waitForChecks(page: Page) {
  await page.getByText(/of \d+ checks passed/).waitFor({ timeout: 60_000 });
}
