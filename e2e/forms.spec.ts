import { mailboxSessions } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";

import { expect, test } from "./fixtures.ts";
import { aMailboxUser, PASSWORD, verifyIdentity } from "./seed-account.ts";
import { signInWithCookie } from "./session.ts";

const TYPED = "https://hooks.example.com/typed";

test.use({ expectedConsoleErrors: /status of (4|5)\d\d|ERR_FAILED|Failed to fetch/ });

test("all invalid fields are marked at once, and the first has the focus", async ({
  page,
  signIn,
}) => {
  await signIn({ isOwner: true });
  await page.goto("/console/mailboxes/new");
  await page.getByLabel("Name", { exact: true }).fill("Ann");
  await page.getByLabel("Address", { exact: true }).fill("-ann-");
  await page.getByLabel("Storage limit").fill("1");
  await page.getByRole("button", { name: "Create mailbox" }).click();

  await expect(
    page.getByRole("alert").filter({ hasText: "Check the 2 marked fields." }),
  ).toBeVisible();
  await expect(page.getByText(/^Storage limit must be a whole number from 256/)).toBeVisible();
  await expect(page.getByText(/^Address can only contain letters/)).toBeVisible();
  await expect(page.getByLabel("Address", { exact: true })).toBeFocused();
  await expect(page.getByLabel("Storage limit")).toHaveValue("1");

  await page.getByLabel("Storage limit").fill("512");
  await expect(page.getByText(/^Storage limit must/)).toBeHidden();
});

test("empty fields are marked before anything is sent", async ({ page, signIn }) => {
  await signIn({ isOwner: true });
  await page.goto("/console/mailboxes/new");
  let sent = 0;
  await page.route("**/console/api/mailboxes/create", (route) => {
    sent++;
    return route.continue();
  });
  await page.getByRole("button", { name: "Create mailbox" }).click();
  await expect(page.getByText("Name is required")).toBeVisible();
  await expect(page.getByText("Address is required")).toBeVisible();
  await expect(page.getByLabel("Name")).toBeFocused();
  expect(sent).toBe(0);
});

test("what was typed is there again after Back, and Start over removes it", async ({
  page,
  signIn,
}) => {
  await signIn();
  await page.goto("/console/webhooks");
  await page.goto("/console/webhooks/new");
  await page.getByLabel("Endpoint").fill(TYPED);
  await page.getByRole("link", { name: "Webhooks" }).first().click();
  await expect(page).toHaveURL(/\/console\/webhooks$/);
  await page.goBack();
  await expect(page.getByText("Restored what you typed before.")).toBeVisible();
  await expect(page.getByLabel("Endpoint")).toHaveValue(TYPED);
  await page.getByRole("button", { name: "Start over" }).click();
  await expect(page.getByLabel("Endpoint")).toHaveValue("");
  await page.reload();
  await expect(page.getByLabel("Endpoint")).toHaveValue("");
});

test("passwords are never stored", async ({ page, signIn }) => {
  await signIn();
  await page.goto("/console/profile?tab=security");
  await page.getByRole("textbox", { name: "Current password" }).fill("never stored anywhere");
  const stored = await page.evaluate(() => JSON.stringify(Object.entries(sessionStorage)));
  expect(stored).not.toContain("never stored");
});

test("a session in /account that expires mid-edit keeps what was typed", async ({
  page,
  appliance,
}) => {
  const { cookie, address } = await aMailboxUser();
  await signInWithCookie(page, appliance.url, cookie);
  await page.goto(`${appliance.url}/account/forwarding`);
  await page.getByLabel("Address 1").fill("ben@example.org");
  await db().delete(mailboxSessions);
  await page.getByRole("button", { name: "Save changes" }).click();

  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await expect(dialog.getByText(address)).toBeVisible();
  await dialog.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByLabel("Address 1")).toHaveValue("ben@example.org");
  await page.getByRole("button", { name: "Save changes" }).click();
  await verifyIdentity(page, "Save changes");
  await expect(
    page.getByText("Saved. Mail is forwarded to addresses that have confirmed it."),
  ).toBeVisible();
});
