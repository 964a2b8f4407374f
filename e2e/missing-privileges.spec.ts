import { globSync } from "node:fs";

import type { Page } from "@playwright/test";

import { PRIVILEGES } from "#server/universal/privileges.ts";
import { setPrivileges } from "#server/testing/changed-admins.ts";
import { aMailCompany } from "#server/testing/console-mailboxes.ts";

import { visitEveryPage, seedEveryPage } from "./visit-every-page.ts";
import { expect, test } from "./mail-server.ts";
import { signInWithCookie } from "./session.ts";

// Every page without a parameter, opened by an admin without privileges.

const FOLDER = "app/console/(pages)/";

/** Pages that need no privilege. */
const WITHOUT_PRIVILEGE = ["overview", "help", "profile"];

const RESTRICTED_PAGES = globSync(`${FOLDER}**/page.tsx`, {
  cwd: new URL("..", import.meta.url).pathname,
})
  .map((file) => file.slice(FOLDER.length, -"/page.tsx".length))
  .filter((path) => !path.includes("[") && !WITHOUT_PRIVILEGE.includes(path));

test("without privileges every page says so and offers no controls", async ({ page, signIn }) => {
  await signIn({ privileges: [] });
  expect(RESTRICTED_PAGES.length).toBeGreaterThan(25);
  const faults: unknown[] = [];
  for (const path of RESTRICTED_PAGES) {
    await page.goto(`/console/${path}`);
    const content = page.locator("#content");
    await content
      .getByText(/^You (don’t have access|can’t)/)
      .first()
      .waitFor({ timeout: 30_000 })
      .catch(() => faults.push([path, "has no explanation"]));
    const controls = await content
      .locator("input, textarea, select, button, a.mantine-Button-root")
      .evaluateAll((all) => all.map((each) => each.ariaLabel ?? each.textContent));
    if (controls.length > 0) faults.push([path, ...controls]);
  }
  expect(faults).toEqual([]);
});

test("an admin who loses a privilege mid-edit sees an error and keeps the form input", async ({
  page,
  signIn,
}) => {
  const { email } = await signIn({ privileges: ["view_groups", "manage_groups"] });
  await page.goto("/console/groups/new");
  await page.getByRole("combobox", { name: "Members" }).fill("carla@example.net");
  await page.getByLabel("Address").fill("support");
  await setPrivileges(email, ["view_groups"]);
  const followed = page.waitForResponse(/\/console\/api\/sessions\/getMe$/);
  await page.getByRole("button", { name: "Create group" }).click();
  await expect(page.getByText("You need the Manage groups privilege")).toBeVisible();
  await followed;
  await expect(page.getByRole("button", { name: "Remove carla@example.net" })).toBeVisible();
  await page.reload();
  await expect(page.getByRole("heading", { name: "You can’t create groups" })).toBeVisible();
});

/** Follows links from page to page, except from help pages, and returns the requests that failed. */
async function findFailedRequests(page: Page): Promise<unknown[]> {
  const failed: unknown[] = [];
  page.on("response", (answer) => {
    const [at, asked] = [page.url(), answer.url()].map((url) => new URL(url).pathname);
    if (answer.status() >= 400) failed.push([at, asked, answer.status()]);
  });
  await visitEveryPage(page, () => Promise.resolve(), { withHelp: false });
  return failed;
}

for (const privilege of PRIVILEGES)
  test(`links lead only to pages that are visible with ${privilege} alone`, async ({
    page,
    signIn,
  }) => {
    await seedEveryPage(await signIn({ privileges: [privilege] }));
    expect(await findFailedRequests(page)).toEqual([]);
  });

/** The labels of buttons and links that change something. */
const CHANGES =
  /^(Add|Cancel|Compose|Create|Delete|Duplicate|Import|Publish|Remove|Resend|Reschedule|Restore|Save draft|Send)\b/;

test("with View emails only, pages offer no changes", async ({ page, signIn }) => {
  await seedEveryPage(await signIn({ privileges: ["view_emails"] }));
  const faults: unknown[] = [];
  const seen = await visitEveryPage(
    page,
    async (path) => {
      if (/^\/console\/(help|profile)/.test(path)) return;
      const labels = await page
        .locator("#content :is(button, a)")
        .evaluateAll((all) => all.map((each) => each.ariaLabel ?? each.textContent.trim()));
      for (const label of labels) if (CHANGES.test(label)) faults.push([path, label]);
    },
    { withHelp: false },
  );
  expect(faults).toEqual([]);
  for (const path of ["emails/", "templates/", "receiving/", "logs/", "suppressions", "metrics"])
    expect(seen.filter((each) => each.startsWith(`/console/${path}`))).not.toEqual([]);
});

test("links lead only to pages that are visible with a role for one unit", async ({
  page,
  appliance,
}) => {
  const { ofSales, inSales } = await aMailCompany();
  await signInWithCookie(page, appliance.url, ofSales);
  await page.goto("/console/mailboxes");
  await expect(page.getByRole("row", { name: inSales })).toBeVisible();
  expect(await findFailedRequests(page)).toEqual([]);
});
