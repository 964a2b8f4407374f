import { hash } from "@node-rs/argon2";

import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";

const PASSWORD = "correct horse battery";

async function anAdminWithPassword() {
  const company = await aCompany({ name: "Northwind Trading" });
  const passwordHash = await hash(PASSWORD, { memoryCost: 1024, timeCost: 1 });
  return anAdmin(company.id, { passwordHash, privileges: ["api_controls"] });
}

test("a page redirects to sign-in, and sign-in back to the page", async ({ page, appliance }) => {
  const admin = await anAdminWithPassword();
  await page.goto(`${appliance.url}/console/emails?after=00000000-0000-7000-8000-000000000000`);
  await page.getByLabel("Email address").fill(admin.email);
  await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/console\/emails\?after=00000000/);
  await expect(
    page.getByRole("alert").filter({ hasText: "This page no longer exists" }),
  ).toBeVisible();
});

test("the sign-in forms are there before any script has run", async ({ browser, appliance }) => {
  const context = await browser.newContext({ javaScriptEnabled: false, baseURL: appliance.url });
  const page = await context.newPage();
  for (const path of ["/console/sign-in", "/account/sign-in"]) {
    await page.goto(path);
    await expect(page.getByLabel("Email address")).toBeVisible();
    await expect(page.getByRole("button", { name: "Sign in" })).toBeVisible();
  }
  await context.close();
});

test("a wrong password shows a generic error and keeps the address", async ({ page }) => {
  const admin = await anAdminWithPassword();
  await page.goto("/console/sign-in");
  await page.getByLabel("Email address").fill(admin.email);
  await page.getByRole("textbox", { name: "Password" }).fill("wrong horse battery");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(
    page.getByRole("alert").filter({ hasText: "The email address or password is incorrect." }),
  ).toBeVisible();
  await expect(page.getByLabel("Email address")).toHaveValue(admin.email);
});

test("next never redirects to another host", async ({ page }) => {
  const admin = await anAdminWithPassword();
  await page.goto("/console/sign-in?next=//evil.example/console/emails");
  await page.getByLabel("Email address").fill(admin.email);
  await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page).toHaveURL(/localhost:\d+\/console\/overview$/);
});

test("an unknown console page shows a not-found message with a link", async ({ page, signIn }) => {
  await signIn();
  const answer = await page.goto("/console/nowhere");
  expect(answer?.status()).toBe(404);
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  await page.getByRole("link", { name: "Go to overview" }).click();
  await expect(page).toHaveURL(/\/console\/overview$/);
});
