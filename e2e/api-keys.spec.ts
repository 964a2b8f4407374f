import { execFile } from "node:child_process";
import { promisify } from "node:util";

import { admins, apiKeys, domains, emails } from "#drizzle/schema/index.ts";
import { changeAllowedAddresses } from "#server/core/access/companies/company-settings.ts";
import { db } from "#server/db/pool.ts";
import { aContext } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { seedApiKeys, seedRequests } from "./seed-developer.ts";

const run = promisify(execFile);

async function seeded(companyId: string) {
  const isOwn = (row: { companyId: string }) => row.companyId === companyId;
  const admin = (await db().select().from(admins)).find(isOwn);
  const domain = (await db().select().from(domains)).find(isOwn);
  return seedApiKeys(companyId, admin!.id, domain!.id);
}

test("creating the first key shows a command that sends an email", async ({ page, signIn }) => {
  const { companyId, domain } = await signIn();
  await page.goto("/console/api-keys");
  await expect(page.getByRole("heading", { name: "Create your first API key" })).toBeVisible();
  await expect(page.getByText(`hello@${domain}`)).toBeVisible();
  await page.getByRole("tab", { name: "Python" }).click();
  await expect(page.getByText("urllib.request.urlopen")).toBeVisible();
  await page.getByRole("link", { name: "Create API key" }).first().click();

  await page.getByRole("button", { name: "Create API key" }).click();
  await expect(page.getByText("Name is required")).toBeVisible();
  await page.getByLabel("Name").fill("Shop");
  await page.getByLabel("Domain", { exact: true }).selectOption(domain);
  await page.getByLabel("Allowed IP addresses").fill("127.0.0.1\n10.0.0/8");
  await page.getByRole("button", { name: "Create API key" }).click();
  await expect(page.getByText(`"10.0.0/8" is neither an IP address nor`)).toBeVisible();
  await expect(page.getByLabel("Name")).toHaveValue("Shop");
  await page.getByLabel("Allowed IP addresses").fill("10.0.0.0/8");
  await expect(page.getByText("isn’t on this list")).toBeVisible();
  await page.getByLabel("Allowed IP addresses").fill("127.0.0.1, ::1");
  await expect(page.getByText("isn’t on this list")).toBeHidden();
  await page.getByRole("button", { name: "Create API key" }).click();

  const dialog = page.getByRole("dialog", { name: "Your API key" });
  await expect(dialog).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(dialog).toBeVisible();
  await dialog.getByRole("button", { name: "Copy", exact: true }).click();
  const token = await page.evaluate(() => navigator.clipboard.readText());
  expect(token).toMatch(/^ph_/);
  const download = page.waitForEvent("download");
  await dialog.getByRole("link", { name: "Download" }).click();
  expect((await download).suggestedFilename()).toBe("posthouse-api-key.txt");

  await dialog.getByRole("button", { name: "Copy curl code" }).click();
  const command = await page.evaluate(() => navigator.clipboard.readText());
  expect(command).toContain(token);
  const { stdout } = await run("sh", ["-c", command]);
  expect(JSON.parse(stdout)).toHaveProperty("id");
  const sent = (await db().select().from(emails)).filter((row) => row.companyId === companyId);
  expect(sent).toMatchObject([{ subject: "Hello from Posthouse" }]);

  await dialog.getByRole("button", { name: "I’ve saved it" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Shop" })).toBeVisible();
  await expect(page.getByText(token)).toBeHidden();
  await expect(page.getByText("127.0.0.1, ::1")).toBeVisible();
  await expect(page.getByRole("row", { name: /POST.*\/emails.*200 OK/ })).toBeVisible();
});

test("the list shows each key's access, and revoked keys behind a filter", async ({
  page,
  signIn,
}) => {
  const { companyId, domain } = await signIn();
  const { shop } = await seeded(companyId);
  await page.goto("/console/api-keys");
  const row = (name: RegExp) => page.getByRole("row", { name });
  await expect(
    row(new RegExp(`Shop.*Sending from ${domain} \\(IP restricted\\).*Ann Lee`)),
  ).toBeVisible();
  await expect(row(/Newsletter.*Sending access.*Never/)).toBeVisible();
  await expect(row(/Old till/)).toBeHidden();
  await page.getByRole("link", { name: "Revoked" }).click();
  await expect(page).toHaveURL(/state=revoked$/);
  await expect(row(/Old till/)).toBeVisible();
  await page.getByRole("link", { name: "Old till" }).click();
  await expect(page.getByText("Revoked").first()).toBeVisible();
  await expect(page.getByRole("button", { name: "Revoke key" })).toBeHidden();
  await page.goto(`/console/api-keys/${shop.id}`);
  await expect(page.getByText("Ann Lee. The key’s privileges: API controls.")).toBeVisible();
});

test("a key can be renamed, restricted, and revoked by typing its name", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn();
  const { billing } = await seeded(companyId);
  await seedRequests(companyId, 12, billing.id);
  await changeAllowedAddresses(aContext(companyId), { isOwner: true }, ["127.0.0.1", "::1"]);
  await page.goto(`/console/api-keys/${billing.id}`);
  await expect(page.getByText(/API keys only work from 127\.0\.0\.1, ::1\./)).toBeVisible();
  await expect(page.getByRole("region", { name: "Recent requests" }).getByRole("row")).toHaveCount(
    6,
  );

  await page.getByRole("textbox", { name: "Name" }).fill("Accounts");
  await page.getByRole("button", { name: "Rename" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Accounts" })).toBeVisible();
  await page.getByLabel("Allowed IP addresses").fill("192.0.2.0/24");
  const use = () =>
    fetch(new URL("/emails", page.url()), {
      headers: { authorization: `Bearer ${billing.token}` },
    });
  expect((await use()).status).toBe(200);
  await page.getByRole("radio", { name: "Sending access" }).click();
  await page.getByRole("button", { name: "Save access" }).click();
  const asked = page.getByRole("dialog", { name: "Save this key’s access?" });
  await expect(asked.getByText(/^It made \d+ requests? other than sending email: /)).toBeVisible();
  await expect(
    asked.getByText(/^It was used from addresses that aren’t on the list: /),
  ).toBeVisible();
  await expectNoPageFaults(page);
  await asked.getByRole("button", { name: "Save access" }).click();
  await expect(page.getByText("Access saved")).toBeVisible();
  await expect(page.getByRole("region", { name: "Details" })).toContainText("Sending access");
  expect(await (await use()).json()).toMatchObject({ name: "ip_not_allowed" });
  const blocked = page.getByRole("link", { name: "1 request", exact: true });
  await expect(async () => {
    await page.reload();
    await expect(blocked).toBeVisible({ timeout: 5_000 });
  }).toPass();
  await blocked.click();
  await expect(page).toHaveURL(/\/console\/logs\?.*error=ip_not_allowed/);
  await page.getByRole("row").nth(1).getByRole("link").click();
  const reason = page.getByRole("region", { name: "What went wrong" });
  await expect(reason).toContainText("127.0.0.1");
  await page.goto(`/console/api-keys/${billing.id}`);

  await page.getByRole("button", { name: "Revoke key" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("textbox").fill("Account");
  await dialog.getByRole("button", { name: "Revoke key" }).click();
  await expect(dialog.getByText("Doesn’t match Accounts")).toBeVisible();
  await dialog.getByRole("textbox").fill("Accounts");
  await dialog.getByRole("button", { name: "Revoke key" }).click();
  await expect(page.getByText("Accounts revoked")).toBeVisible();
  await expect(page).toHaveURL(/\/console\/api-keys$/);
  const row = (await db().select().from(apiKeys)).find(({ id }) => id === billing.id);
  expect(row!.revokedAt).not.toBeNull();
});

test.describe("if the choices can't be loaded", () => {
  test.use({ expectedConsoleErrors: /500/ });

  test("the form isn't shown, so that no key is created for all domains by accident", async ({
    page,
    signIn,
  }) => {
    await signIn();
    await page.route("**/console/api/apiKeys/getChoices", (route) =>
      route.fulfill({ status: 500, json: { name: "application_error", message: "Broken" } }),
    );
    await page.goto("/console/api-keys/new");
    await expect(page.getByRole("heading", { name: "Couldn’t load your domains" })).toBeVisible();
    await expect(page.getByRole("button", { name: "Create API key" })).toHaveCount(0);
    await page.unroute("**/console/api/apiKeys/getChoices");
    await page.getByRole("button", { name: "Try again" }).click();
    await expect(page.getByRole("combobox", { name: "Domain" })).toBeVisible();
  });
});

test("an admin without the privilege sees why the lists aren't shown", async ({ page, signIn }) => {
  await signIn({ privileges: ["domains"] });
  for (const [path, what] of [
    ["api-keys", "the API keys"],
    ["logs", "the requests"],
    ["suppressions", "the suppressions"],
  ]) {
    await page.goto(`/console/${path}`);
    const alert = page.getByRole("alert").filter({ hasText: `You don’t have access to ${what}` });
    await expect(alert).toContainText("API controls");
  }
});
