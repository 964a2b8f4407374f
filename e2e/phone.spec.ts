import { anApiKey } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { seedRequests } from "./seed-developer.ts";
import { openUserMenu } from "./session.ts";
import { seedEmails } from "./seed.ts";

const PHONE = { width: 380, height: 800 };
test.use({ viewport: PHONE });

test("on a phone a button opens the filters of a list, unless one is set", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn();
  await seedRequests(companyId, 3, (await anApiKey(companyId)).id);
  await page.goto("/console/logs");
  const first = page.getByRole("row").nth(1);
  await expect(first).toBeVisible();
  expect((await first.boundingBox())!.y).toBeLessThan(330);
  const method = page.getByRole("combobox", { name: "Method" });
  await expect(method).toBeHidden();
  await page.getByRole("button", { name: "Filters" }).click();
  await method.selectOption("POST");
  await expect(page).toHaveURL(/method=POST/);
  await expect(page.getByRole("button", { name: "Filters (1)" })).toBeVisible();
  await expectNoPageFaults(page);
  await page.setViewportSize(PHONE);
  await page.reload();
  await expect(method).toBeVisible();
});

test("on a phone the list fits the screen, and the navigation is a drawer", async ({
  page,
  signIn,
}) => {
  await seedEmails(await signIn(), 25);
  await page.goto("/console/emails");
  await expect(page.getByRole("row").nth(1)).toBeVisible();
  const widths = () =>
    page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
  expect(await widths()).toEqual([380, 380]);
  // Cards have no columns to choose.
  await expect(page.getByRole("button", { name: "Views" })).toBeVisible();
  await expect(page.getByRole("button", { name: "Columns" })).toBeHidden();

  await expect(page.getByRole("navigation", { name: "Console" })).toBeHidden();
  await page.getByRole("button", { name: "Open navigation" }).click();
  const drawer = page.getByRole("dialog");
  await expect(drawer.getByText("Northwind Trading")).toBeVisible();
  await openUserMenu(drawer);
  await drawer.getByText("Dark", { exact: true }).click();
  await expect(page.locator("html")).toHaveAttribute("data-mantine-color-scheme", "dark");
  await drawer.getByRole("link", { name: "Emails" }).click();
  await expect(drawer).toBeHidden();

  await page.getByRole("row").nth(3).getByRole("link").click();
  await expect(page.getByRole("region", { name: "Timeline" })).toBeVisible();
  expect(await widths()).toEqual([380, 380]);
});
