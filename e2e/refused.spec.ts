import { globSync } from "node:fs";

import type { Page } from "@playwright/test";

import { PRIVILEGES } from "#server/core/access/privileges/privileges.ts";
import { leaveOnly } from "#server/testing/changed-admins.ts";
import { aMailCompany } from "#server/testing/console-mailboxes.ts";

import { eachPage, fill } from "./each-page.ts";
import { expect, test } from "./mail-server.ts";
import { become } from "./person.ts";

// Every page without a parameter, opened by an admin without privileges.

const FOLDER = "app/console/(pages)/";

/** Pages that need no privilege. */
const FOR_ALL = ["overview", "help", "profile"];

const PAGES = globSync(`${FOLDER}**/page.tsx`, { cwd: new URL("..", import.meta.url).pathname })
  .map((file) => file.slice(FOLDER.length, -"/page.tsx".length))
  .filter((path) => !path.includes("[") && !FOR_ALL.includes(path));

test("without privileges every page says so and offers no controls", async ({ page, signIn }) => {
  await signIn({ privileges: [] });
  expect(PAGES.length).toBeGreaterThan(25);
  const faults: unknown[] = [];
  for (const path of PAGES) {
    await page.goto(`/console/${path}`);
    const content = page.locator("#content");
    await content
      .getByText(/^You (don’t have access|can’t)/)
      .first()
      .waitFor({ timeout: 10_000 })
      .catch(() => faults.push([path, "says nothing"]));
    const dead = await content
      .locator("input, textarea, select, button, a.mantine-Button-root")
      .evaluateAll((all) => all.map((each) => each.ariaLabel ?? each.textContent));
    if (dead.length > 0) faults.push([path, ...dead]);
  }
  expect(faults).toEqual([]);
});

test("an admin who loses a privilege mid-edit sees an error and keeps the form input", async ({
  page,
  signIn,
}) => {
  const { email } = await signIn({ privileges: ["view_groups", "manage_groups"] });
  await page.goto("/console/groups/new");
  await page.getByLabel("Members").fill("carla@example.net");
  await page.getByLabel("Address").fill("support");
  await leaveOnly(email, ["view_groups"]);
  const followed = page.waitForResponse(/\/console\/api\/me$/);
  await page.getByRole("button", { name: "Create group" }).click();
  await expect(page.getByText("You need the Manage groups privilege")).toBeVisible();
  await followed;
  await expect(page.getByLabel("Members")).toHaveValue("carla@example.net");
  await page.reload();
  await expect(page.getByRole("heading", { name: "You can’t create groups" })).toBeVisible();
});

/**
 * Returns the requests that fail when following links between pages. Skips help pages, which link to all
 * pages.
 */
async function refusedOnTheWay(page: Page): Promise<unknown[]> {
  const refused: unknown[] = [];
  page.on("response", (answer) => {
    const [at, asked] = [page.url(), answer.url()].map((url) => new URL(url).pathname);
    if (answer.status() >= 400) refused.push([at, asked, answer.status()]);
  });
  await eachPage(page, () => Promise.resolve(), { withHelp: false });
  return refused;
}

for (const privilege of PRIVILEGES)
  test(`links lead only to pages that are visible with ${privilege} alone`, async ({
    page,
    signIn,
  }) => {
    await fill(await signIn({ privileges: [privilege] }));
    expect(await refusedOnTheWay(page)).toEqual([]);
  });

test("links lead only to pages that are visible with a role for one unit", async ({
  page,
  appliance,
}) => {
  const { ofSales, inSales } = await aMailCompany();
  await become(page, appliance.url, ofSales);
  await page.goto("/console/mailboxes");
  await expect(page.getByRole("row", { name: inSales })).toBeVisible();
  expect(await refusedOnTheWay(page)).toEqual([]);
});
