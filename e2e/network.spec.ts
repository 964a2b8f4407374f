import type { Page } from "@playwright/test";

import { endSessions, setPassword, setPrivileges } from "#server/testing/changed-admins.ts";

import { expect, test } from "./fixtures.ts";
import { seedEmails } from "./seed.ts";

const PASSWORD = "correct horse battery";

const passes = (page: Page, ms: number) =>
  page.evaluate((ms) => new Promise((resolve) => setTimeout(resolve, ms)), ms);

async function typeWebhook(page: Page) {
  await page.goto("/console/webhooks/new");
  await page.getByLabel("Endpoint").fill("https://hooks.example.com/typed");
  await page.getByRole("checkbox", { name: "email.sent" }).check();
}

test("a session that expires mid-edit keeps the form input", async ({ page, signIn }) => {
  const { email } = await signIn();
  await setPassword(email, PASSWORD);
  await typeWebhook(page);
  await endSessions(email);
  await page.getByRole("button", { name: "Create webhook" }).click();

  const dialog = page.getByRole("dialog", { name: "Sign in again" });
  await expect(dialog.getByText(email)).toBeVisible();
  await page.keyboard.press("Escape");
  await dialog.getByRole("textbox", { name: "Password" }).fill("wrong");
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await expect(dialog.getByText("The email address or password is incorrect")).toBeVisible();
  await dialog.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await dialog.getByRole("button", { name: "Sign in" }).click();
  await expect(dialog).toBeHidden();
  await expect(page.getByText("You’re not signed in")).toHaveCount(0);

  await expect(page.getByLabel("Endpoint")).toHaveValue("https://hooks.example.com/typed");
  await page.getByRole("button", { name: "Create webhook" }).click();
  await expect(page.getByRole("dialog").getByText("whsec_")).toBeVisible();
});

test("signing in in another tab is enough", async ({ page, signIn, appliance }) => {
  const { email } = await signIn();
  await setPassword(email, PASSWORD);
  await typeWebhook(page);
  await endSessions(email);
  await page.getByRole("button", { name: "Create webhook" }).click();
  await expect(page.getByRole("dialog", { name: "Sign in again" })).toBeVisible();

  const other = await page.context().newPage();
  await other.goto(`${appliance.url}/console/webhooks/new`);
  await expect(other).toHaveURL(/\/console\/sign-in\?next=/);
  await other.getByLabel("Email address").fill(email);
  await other.getByRole("textbox", { name: "Password" }).fill(PASSWORD);
  await other.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect(other).toHaveURL(/\/console\/webhooks\/new$/);
  await page.bringToFront();
  await page.evaluate(() => window.dispatchEvent(new Event("focus")));
  await expect(page.getByRole("dialog", { name: "Sign in again" })).toBeHidden();
  await expect(page.getByText("You’re not signed in")).toHaveCount(0);
  await expect(page.getByLabel("Endpoint")).toHaveValue("https://hooks.example.com/typed");
});

test("a refreshing list notices an expired session", async ({ page, signIn }) => {
  const me = await signIn();
  await seedEmails(me, 3);
  await page.goto("/console/emails");
  await expect(page.getByRole("row")).toHaveCount(4);
  await endSessions(me.email);
  await expect(page.getByRole("dialog", { name: "Sign in again" })).toBeVisible();
  // The rows stay behind the dialog.
  await expect(page.locator("tbody tr")).toHaveCount(3);
});

test("a revoked privilege removes its pages from the navigation", async ({ page, signIn }) => {
  const me = await signIn({ privileges: ["api_controls", "domains"] });
  await seedEmails(me, 3);
  await page.goto("/console/emails");
  await expect(page.getByRole("row")).toHaveCount(4);
  await setPrivileges(me.email, ["domains"]);
  await expect(
    page.getByRole("heading", { name: "You don’t have access to the emails" }),
  ).toBeVisible();
  const navigation = page.getByRole("navigation", { name: "Console" });
  await expect(navigation.getByRole("link", { name: "Emails" })).toBeHidden();
  await expect(navigation.getByRole("link", { name: "Domains" })).toBeVisible();
});

test.describe("offline", () => {
  test.use({ expectedConsoleErrors: /ERR_INTERNET_DISCONNECTED|ERR_FAILED|Failed to fetch/ });

  test("the page keeps its content, forms show an error, and everything works again once online", async ({
    page,
    context,
    signIn,
  }) => {
    await signIn();
    await typeWebhook(page);
    await context.setOffline(true);
    await expect(page.getByText("You’re offline.")).toBeVisible();
    await page.getByRole("button", { name: "Create webhook" }).click();
    await expect(page.getByText("Can’t reach the server.")).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByText("You’re offline.")).toBeHidden();
    await page.getByRole("button", { name: "Create webhook" }).click();
    await expect(page.getByRole("dialog").getByText("whsec_")).toBeVisible();
  });

  test("a clicked link stays in the console, and is followed once online", async ({
    page,
    context,
    signIn,
  }) => {
    await signIn();
    await page.goto("/console/webhooks/new");
    await page.getByLabel("Endpoint").fill("https://hooks.example.com/typed");
    await context.setOffline(true);
    await page.getByRole("navigation", { name: "Console" }).getByText("Logs").click();
    await expect(page.getByText("The page opens once you’re online again.")).toBeVisible();
    await expect(page.getByLabel("Endpoint")).toHaveValue("https://hooks.example.com/typed");
    await context.setOffline(false);
    await expect(page.getByRole("heading", { level: 1, name: "Logs" })).toBeVisible();
    await page.goBack();
    await expect(page.getByLabel("Endpoint")).toHaveValue("https://hooks.example.com/typed");

    // A shortcut waits, too.
    await page.getByRole("heading", { level: 1, name: "Create webhook" }).click();
    await context.setOffline(true);
    await expect(page.getByText("You’re offline.")).toBeVisible();
    await page.keyboard.press("g");
    await page.keyboard.press("l");
    await expect(page.getByText("The page opens once you’re online again.")).toBeVisible();
    await context.setOffline(false);
    await expect(page.getByRole("heading", { level: 1, name: "Logs" })).toBeVisible();
  });

  test("the search opens, and a part of the page that wasn't loaded yet waits", async ({
    page,
    context,
    signIn,
  }) => {
    await signIn({ privileges: ["api_controls", "domains"] });
    await page.goto("/console/domains");
    const create = page.getByRole("button", { name: "Create domain" });
    await expect(page.getByRole("row")).toHaveCount(2);
    await context.setOffline(true);
    await expect(page.getByText("You’re offline.")).toBeVisible();
    await create.click();
    // A script that can't be loaded is requested again within 0.6 s. Then an error page would replace the list.
    await passes(page, 1_000);
    await expect(page.getByRole("row")).toHaveCount(2);
    await context.setOffline(false);
    await expect(page.getByRole("dialog", { name: "Create domain" })).toBeVisible();
    await page.keyboard.press("Escape");

    // The search is loaded three seconds after the page.
    await passes(page, 3_500);
    await page.waitForLoadState("networkidle");
    await context.setOffline(true);
    await expect(page.getByText("You’re offline.")).toBeVisible();
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("combobox", { name: /^Search pages/ })).toBeFocused();
    await page.keyboard.type("Logs");
    await page.keyboard.press("Enter");
    await expect(page.getByText("The page opens once you’re online again.")).toBeVisible();
    await expect(page.getByRole("row")).toHaveCount(2);
    await context.setOffline(false);
    await expect(page.getByRole("heading", { level: 1, name: "Logs" })).toBeVisible();
  });

  test("a list that can't be refreshed says so and keeps its rows", async ({ page, signIn }) => {
    await seedEmails(await signIn(), 3);
    await page.goto("/console/emails");
    await expect(page.getByRole("row")).toHaveCount(4);
    const place = await page.getByRole("row").nth(1).boundingBox();
    await page.route("**/console/api/emails/list?**", (route) => route.abort());
    await expect(page.getByText("Couldn’t refresh. Retrying…")).toBeVisible();
    expect(await page.getByRole("row").nth(1).boundingBox()).toEqual(place);
    await page.unroute("**/console/api/emails/list?**");
    await expect(page.getByText("Couldn’t refresh. Retrying…")).toBeHidden();
  });
});

test("slow requests show progress", async ({ page, signIn }) => {
  await signIn();
  let answer = () => {};
  const late = new Promise<void>((resolve) => (answer = resolve));
  await page.route("**/console/api/webhooks/list?**", async (route) => {
    await late;
    await route.continue();
  });
  await page.goto("/console/webhooks");
  await expect(page.getByRole("progressbar", { name: "Loading" })).toBeAttached();
  answer();
  await expect(page.getByRole("progressbar", { name: "Loading" })).toHaveCount(0);
});

test.describe("a tab with an earlier build", () => {
  test.use({ expectedConsoleErrors: /ChunkLoadError|Failed to load|ERR_ABORTED|chunk/i });

  test("asks to reload instead of showing a blank page", async ({ page, signIn }) => {
    await signIn({ isOwner: true });
    await page.goto("/console/emails");
    await page.getByRole("navigation", { name: "Console" }).getByText("Webhooks").waitFor();
    await page.route("**/_next/static/**/*.js", (route) =>
      route.fulfill({ status: 404, body: "" }),
    );
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("heading", { name: "Reload to continue" })).toBeVisible();
    await page.unroute("**/_next/static/**/*.js");
    await page.getByRole("button", { name: "Reload" }).click();
    await expect(page.getByRole("heading", { level: 1, name: "Emails" })).toBeVisible();
  });
});
