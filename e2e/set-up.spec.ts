import type { Page } from "@playwright/test";

import { ensureSetupToken } from "#server/core/operations/companies/set-up.ts";

import { expect, test } from "./fixtures.ts";
import { signOut } from "./session.ts";

test.use({ baseURL: ({ freshAppliance }, provide) => provide(freshAppliance.url) });

const submitSetUpForm = async (page: Page, password: string) => {
  await page.getByLabel("Company name").fill("Northwind Trading");
  await page.getByLabel("Your name").fill("Ann Lee");
  await page.getByLabel("Email address").fill("ann@example.com");
  await page.getByRole("textbox", { name: "Password" }).fill(password);
  await page.getByRole("button", { name: "Create company" }).click();
};

test("the setup link creates the first company and leads to the server’s checks and the console", async ({
  page,
  freshAppliance,
}) => {
  const token = ensureSetupToken(freshAppliance.dataFolder);
  await page.goto(`/console/set-up#${token}`);

  await submitSetUpForm(page, "too short");
  await expect(page.getByText("Password must have at least 12 characters")).toBeVisible();
  await expect(page.getByLabel("Company name")).toHaveValue("Northwind Trading");

  await submitSetUpForm(page, "password1234");
  await expect(page.getByText("is too easy to guess. Use a few unrelated words")).toBeVisible();

  await submitSetUpForm(page, "correct horse battery");
  await expect(page.getByRole("heading", { name: "Check that the server is ready" })).toBeVisible();
  const checks = page.getByRole("list", { name: "Server checks" });
  await expect(checks.getByText(/Postgres \d+.* is running/)).toBeVisible();
  await expect(page.getByText(/of 23 checks passed/)).toBeVisible({ timeout: 40_000 });
  await page.reload();
  const run = page.waitForResponse((each) => each.request().method() === "POST");
  await page.getByRole("button", { name: "Check again" }).click();
  expect((await run).ok()).toBe(true);
  await expect(page.getByText(/of 23 checks passed/)).toBeVisible({ timeout: 40_000 });

  await page.getByRole("link", { name: "Open the console" }).click();
  await expect(page.getByRole("heading", { name: "Overview", exact: true })).toBeVisible();
  await expect(page.getByRole("navigation", { name: "Console" })).toBeVisible();
  await page.goto("/console/operate/health");
  const navigation = page.getByRole("navigation", { name: "Console" });
  await expect(navigation.getByRole("link", { name: "Health" })).toBeVisible();
  // A server with one company has no use for these.
  await expect(navigation.getByRole("link", { name: /Companies|Plans/ })).toHaveCount(0);
  await page.goto("/console/overview");
  await expect(page.getByText("Northwind Trading")).toBeVisible();
  await expect(page.getByText("What do you want to do first?")).toBeVisible();

  await signOut(page);
  await expect(page).toHaveURL(/\/console\/sign-in$/);
  await page.goto(`/console/set-up?token=${token}`);
  await expect(page).toHaveURL(/\/console\/sign-in$/);
  await page.getByLabel("Email address").fill("ann@example.com");
  await page.getByRole("textbox", { name: "Password" }).fill("correct horse battery");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(/\/console\/overview$/);
});

test("explains where to find the setup link when it is missing", async ({ page }) => {
  await page.goto("/");
  await expect(page).toHaveURL(/\/console\/set-up$/);
  await expect(page.getByRole("heading", { name: "Open the setup link" })).toBeVisible();
  await expect(page.getByText("posthouse start")).toBeVisible();

  await page.goto("/console/set-up?step=server");
  await expect(page).toHaveURL(/\/console\/(sign-in|set-up)/);
  await expect(page.getByText("Server checks")).toBeHidden();

  // Older versions printed links like this.
  await page.goto("/console/set-up?token=guessed");
  await expect(page.getByRole("heading", { name: "This link isn’t valid" })).toBeVisible();
});
