import { hash } from "@node-rs/argon2";

import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { signInWithCookie } from "./session.ts";

const PASSWORD = "correct horse battery";

test("an admin changes their name and password and signs out other sessions", async ({ page }) => {
  const passwordHash = await hash(PASSWORD, { memoryCost: 1024, timeCost: 1 });
  const admin = await anAdmin((await aCompany()).id, { passwordHash, name: "Ann Lee" });
  const windows =
    "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
  const from = { clientAddress: "192.0.2.7", userAgent: windows };
  await startSession(db(), admin.id, from);
  await startSession(db(), admin.id, { ...from, userAgent: null });

  // Emails that were sent before the page moved link to its old address.
  await page.goto("/console/you");
  await page.getByLabel("Email address").fill(admin.email);
  await page.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.getByLabel("Name", { exact: true }).fill("Ann Bell");
  await page.getByRole("button", { name: "Save name" }).click();
  await expect(page.getByText("Name saved")).toBeVisible();

  await page.getByRole("tab", { name: "Sessions" }).click();
  await expect(page).toHaveURL(/tab=sessions/);
  const sessions = page.getByRole("list", { name: "Sessions" });
  await expect(sessions.getByRole("listitem")).toHaveCount(3);
  await page.getByRole("button", { name: "End session of Firefox on Windows" }).click();
  await expect(sessions.getByRole("listitem")).toHaveCount(2);
  await page.getByRole("button", { name: "End other sessions" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "End other sessions" }).click();
  await expect(sessions.getByRole("listitem")).toHaveCount(1);
  await expect(sessions.getByText("This session")).toBeVisible();

  await page.getByRole("tab", { name: "Security" }).click();
  const fill = async (current: string, next: string) => {
    await page.getByRole("textbox", { name: "Current password" }).fill(current);
    await page.getByRole("textbox", { name: "New password", exact: true }).fill(next);
    await page.getByRole("textbox", { name: "Confirm new password" }).fill(next);
    await page.getByRole("button", { name: "Change password" }).click();
  };
  await fill("wrong horse battery", "staple thunder lantern");
  await expect(page.getByText("Current password is incorrect")).toBeVisible();
  await fill(PASSWORD, "staple thunder lantern");
  await expect(page.getByText("Password changed.")).toBeVisible();
  await page.reload();
  await expect(page.getByRole("heading", { name: "Two-factor authentication" })).toBeVisible();
});

test("an admin chooses notifications, and sets a URL that is masked once saved", async ({
  page,
  appliance,
}) => {
  const admin = await anAdmin((await aCompany()).id, { isOwner: true });
  await signInWithCookie(page, appliance.url, await startSession(db(), admin.id));
  await page.goto("/console/profile?tab=notifications");
  const storage = page.getByRole("checkbox", { name: "Storage: Email" });
  await storage.uncheck();
  await expect(page.getByText("Storage turned off")).toBeVisible();
  const url = page.getByLabel("URL", { exact: true });
  await url.fill("http://hooks.example.com/services/secret");
  await page.getByRole("button", { name: "Save URL" }).click();
  await expect(page.getByText("must be a URL that starts with https://")).toBeVisible();
  await url.fill("https://hooks.example.com/services/secret");
  await page.getByRole("button", { name: "Save URL" }).click();
  await expect(page.getByText("https://hooks.example.com/…")).toBeVisible();
  await page.getByRole("button", { name: "Send test" }).click();
  await expect(page.getByText("The test failed. The hostname does not exist")).toBeVisible();
  await page.reload();
  await expect(storage).not.toBeChecked();
  await expect(page.getByText("secret")).toHaveCount(0);
  await expectNoPageFaults(page);
  await page.getByRole("button", { name: "Remove URL" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove URL" }).click();
  await expect(url).toBeVisible();
});

test("a notification stays off when a refetch returns the previous settings", async ({
  page,
  appliance,
}) => {
  const admin = await anAdmin((await aCompany()).id, { isOwner: true });
  await signInWithCookie(page, appliance.url, await startSession(db(), admin.id));
  await page.goto("/console/profile?tab=notifications");
  const storage = page.getByRole("checkbox", { name: "Storage: Email" });
  await expect(storage).toBeChecked();

  const [refetch, save] = [Promise.withResolvers<null>(), Promise.withResolvers<null>()];
  const asked: string[] = [];
  await page.route("**/console/api/profile/*Notifications", async (route) => {
    const method = route.request().method();
    const response = method === "GET" ? await route.fetch() : null;
    asked.push(method);
    await (response ? refetch : save).promise;
    await (response ? route.fulfill({ response }).catch(() => {}) : route.continue());
  });
  await expect(async () => {
    await page.evaluate(() => window.dispatchEvent(new Event("visibilitychange")));
    expect(asked).toEqual(["GET"]);
  }).toPass();
  await storage.uncheck();
  await expect.poll(() => asked).toContain("POST");
  refetch.resolve(null);
  // Give the page time to render the response.
  await page.evaluate(() => new Promise((done) => setTimeout(done, 500)));
  expect(await storage.isChecked()).toBe(false);
  save.resolve(null);
  await expect(page.getByText("Storage turned off")).toBeVisible();
});
