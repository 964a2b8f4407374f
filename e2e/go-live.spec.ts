import { ensureSetupToken } from "#server/core/operations/companies/set-up.ts";

import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";

const MAIL_HOST = "mail.northwind-tools.com";

test("in local mode, pages show no DNS records and lead operators to Go live", async ({
  page,
  freshAppliance,
}) => {
  const { url, dataFolder, dns } = freshAppliance;
  await page.goto(`${url}/console/set-up#${ensureSetupToken(dataFolder)}`);
  await page.getByLabel("Company name").fill("Northwind Tools");
  await page.getByLabel("Your name").fill("Ida Lee");
  await page.getByLabel("Email address").fill("ida@example.com");
  await page.getByRole("textbox", { name: "Password" }).fill("correct horse battery");
  await page.getByRole("button", { name: "Create company" }).click();
  await page.getByRole("link", { name: "Open the console" }).click();

  await page.goto(`${url}/console/domains?new`);
  await page.getByRole("dialog").getByLabel("Domain name").fill("northwind-tools.com");
  await page.keyboard.press("Enter");
  const notice = page.getByRole("region", { name: "Local mode" });
  await expect(notice).toContainText("there are no DNS records to publish");
  await expect(page.getByText("posthouse.localhost")).toHaveCount(0);
  await expect(page.getByRole("button", { name: /Email records|Set up auto/ })).toHaveCount(0);
  await expectNoPageFaults(page);
  await page.goto(`${page.url().replace(/\?.*/, "")}/hand-over`);
  await expect(notice).toBeVisible();

  await page.goto(`${url}/console/overview`);
  await page.getByRole("button", { name: "Send from an app" }).click();
  const steps = page.getByRole("region", { name: "Get started" });
  await expect(steps.getByRole("link", { name: "Go live" })).toBeVisible();
  await expect(steps.getByRole("link", { name: "View DNS records" })).toHaveCount(0);
  await notice.getByRole("link", { name: "Go live" }).click();
  await expect(page.getByRole("heading", { level: 1, name: "Go live" })).toBeVisible();
  const step = (name: RegExp) => page.getByRole("region", { name });
  await expect(step(/^2\./)).toContainText("Later");
  await page.getByRole("textbox", { name: "Hostname" }).fill("not a name");
  await page.keyboard.press("Enter");
  await expect(page.getByText("Hostname must be a hostname with a dot")).toBeVisible();
  await expectNoPageFaults(page);

  await page.goto(`${url}/console/operate/go-live?hostname=no+name`);
  await expect(page.getByText(/must be a hostname with a dot/)).toBeVisible();
  await page.getByRole("textbox", { name: "Hostname" }).fill(MAIL_HOST);
  await page.keyboard.press("Enter");
  await expect(step(/^2\./)).toContainText("To do", { timeout: 60_000 });
  await expect(step(/^2\./).getByText(MAIL_HOST, { exact: true })).toBeVisible();
  await page.getByRole("tab", { name: "Debian" }).click();
  await expect(step(/^4\./)).toContainText(`posthouse install --hostname ${MAIL_HOST}`);
  await page.getByRole("tab", { name: "Docker" }).click();
  await expect(step(/^4\./)).toContainText(`POSTHOUSE_HOSTNAME=${MAIL_HOST}`);
  await expectNoPageFaults(page);

  // The records are looked up again, and a reload keeps the hostname.
  dns.records[MAIL_HOST] = { A: ["1.1.1.1"] };
  await page.getByRole("button", { name: "Check again" }).click();
  await expect(step(/^2\./)).toContainText("PTR record", { timeout: 60_000 });
  dns.records["1.1.1.1.in-addr.arpa"] = { PTR: [MAIL_HOST] };
  await page.getByRole("button", { name: "Check again" }).click();
  await expect(step(/^2\./)).toContainText("All DNS records of this server are published.", {
    timeout: 60_000,
  });
  await page.setViewportSize({ width: 380, height: 800 });
  await page.reload();
  await expect(page.getByRole("textbox", { name: "Hostname" })).toHaveValue(MAIL_HOST, {
    timeout: 60_000,
  });
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(380);
  await page.screenshot({ path: "test-results/go-live-380.png", fullPage: true });
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.screenshot({ path: "test-results/go-live-1440.png", fullPage: true });
});
