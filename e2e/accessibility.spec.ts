import { ensureSetupToken } from "#server/core/operations/companies/set-up.ts";
import { anApiKey } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { seedRequests } from "./seed-developer.ts";
import {
  anEvent,
  UNAVAILABLE_ATTEMPT,
  DNS_ERROR_ATTEMPT,
  webhooksInEveryState,
} from "./seed-webhooks.ts";
import { addEvents } from "./seed.ts";
import { aCheckedDomain, aMonthOfReports, anUnverifiedDomain } from "./seed-domains.ts";

// States that every-page.spec.ts doesn’t reach: errors, empty lists, dialogs and tabs.

test.use({ expectedConsoleErrors: /Content Security Policy|sandboxed/ });

test("the sign-in pages", async ({ page, freshAppliance, signIn }) => {
  await page.goto(`${freshAppliance.url}/console/set-up`);
  await expect(page.getByRole("heading", { name: "Open the setup link" })).toBeVisible();
  await expectNoPageFaults(page);

  const token = ensureSetupToken(freshAppliance.dataFolder);
  await page.goto(`${freshAppliance.url}/console/set-up#${token}`);
  await page.getByLabel("Company name").fill("Northwind");
  await page.getByLabel("Your name").fill("Ann");
  await page.getByLabel("Email address").fill("ann@example.com");
  await page.getByRole("textbox", { name: "Password" }).fill("short");
  await page.getByRole("button", { name: "Create company" }).click();
  await expect(page.getByText("Password must have at least 12 characters")).toBeVisible();
  await expectNoPageFaults(page);

  await signIn();
  await page.goto("/console/sign-in");
  await page.getByLabel("Email address").fill("ann@example.com");
  await page.getByRole("textbox", { name: "Password" }).fill("wrong");
  await page.getByRole("button", { name: "Sign in" }).click();
  await expect(page.getByText("The email address or password is incorrect")).toBeVisible();
  await expectNoPageFaults(page);

  await page.goto("/console/nowhere");
  await expect(page.getByRole("heading", { name: "Page not found" })).toBeVisible();
  await expectNoPageFaults(page);
});

test("the email pages", async ({ page, signIn, sendEmail }) => {
  const me = await signIn();
  await page.goto("/console/emails");
  await expect(page.getByRole("heading", { name: "Send your first email" })).toBeVisible();
  await expectNoPageFaults(page);

  const html = `<p>Hello</p><p style="background: url(//example.net/logo.png)"></p>`;
  const id = await sendEmail(me, { subject: "Your receipt", html });
  await addEvents(me.companyId, id, [
    { type: "bounced", recipient: "ben@example.net", dsn: "5.1.1", message: "550 no" },
  ]);
  await page.goto(`/console/emails/${id}`);
  await expect(page.getByRole("region", { name: "Timeline" }).getByText("550 no")).toBeVisible();
  await expectNoPageFaults(page);
  for (const tab of ["Text", "HTML"]) {
    await page.getByRole("tab", { name: tab }).click();
    await expectNoPageFaults(page);
  }

  await page.goto("/console/emails/01900000-0000-7000-8000-000000000000");
  await expect(page.getByRole("alert").filter({ hasText: "Email not found" })).toBeVisible();
  await expectNoPageFaults(page);
});

test("the webhook pages", async ({ page, signIn }) => {
  const { companyId } = await signIn();
  await page.goto("/console/webhooks");
  await expect(page.getByRole("heading", { name: "Receive events in real time" })).toBeVisible();
  await expectNoPageFaults(page);

  await page.goto("/console/webhooks/new");
  await page.getByRole("button", { name: "Create webhook" }).click();
  await expect(page.getByText("Endpoint is required")).toBeVisible();
  await expectNoPageFaults(page);
  await page.getByLabel("Endpoint").fill("https://hooks.northwind.example.com/");
  await page.getByRole("checkbox", { name: "email.sent" }).check();
  await page.getByRole("button", { name: "Create webhook" }).click();
  await expect(page.getByRole("dialog").getByText("whsec_")).toBeVisible();
  await expectNoPageFaults(page);
  await page.getByRole("button", { name: "I’ve saved it" }).click();
  await expect(page).toHaveURL(/tab=signing/);

  const { well, failing, disabled } = await webhooksInEveryState(companyId);
  for (const { id } of [failing, disabled]) {
    await page.goto(`/console/webhooks/${id}`);
    await expect(page.getByRole("table").getByRole("row").nth(1)).toBeVisible();
    await expectNoPageFaults(page);
  }

  await page.goto(`/console/webhooks/${well.id}?tab=signing`);
  await page.getByRole("button", { name: "Reveal secret" }).click();
  await expect(page.getByText("whsec_", { exact: false }).first()).toBeVisible();
  await expectNoPageFaults(page);
  await page.getByRole("tab", { name: "Settings" }).click();
  await expectNoPageFaults(page);
  await page.getByRole("button", { name: "Delete webhook" }).click();
  await expect(page.getByRole("dialog").getByRole("textbox")).toBeVisible();
  await expectNoPageFaults(page);

  const event = await anEvent(failing, { attempts: [UNAVAILABLE_ATTEMPT, DNS_ERROR_ATTEMPT] });
  await page.goto(`/console/webhooks/${failing.id}/events/${event}`);
  await expect(page.getByText("Attempt 2: ENOTFOUND")).toBeVisible();
  await expectNoPageFaults(page);
});

test("the API key, log and suppression pages", async ({ page, signIn }) => {
  const { companyId } = await signIn();
  for (const name of ["api-keys", "logs", "suppressions"]) {
    await page.goto(`/console/${name}`);
    await expect(page.getByRole("tab", { name: "Python" })).toBeVisible();
    await expectNoPageFaults(page);
  }
  const key = await anApiKey(companyId);
  const requests = await seedRequests(companyId, 20, key.id);
  await page.goto(`/console/api-keys/${key.id}`);
  await expect(page.getByText("No requests in the last 30 days")).toBeVisible();
  await expectNoPageFaults(page);
  await page.goto("/console/logs");
  await page.getByRole("button", { name: "More filters" }).click();
  await expect(page.getByLabel("Status code")).toBeVisible();
  await expectNoPageFaults(page);
  await page.goto(`/console/logs/${requests[4]!.id}`);
  await expect(page.getByText("What to do")).toBeVisible();
  await expectNoPageFaults(page);

  await page.goto("/console/api-keys/new");
  await page.getByLabel("Name").fill("Shop");
  await page.getByRole("button", { name: "Create API key" }).click();
  await expect(page.getByRole("dialog").getByRole("tab", { name: "curl" })).toBeVisible();
  await expectNoPageFaults(page);
  await page.getByRole("button", { name: "I’ve saved it" }).click();

  await page.goto("/console/suppressions");
  await page.getByRole("button", { name: "Add suppressions" }).click();
  await page.getByRole("dialog").getByRole("textbox").fill("ann@example.org, not-an-address");
  await page.getByRole("dialog").getByRole("button", { name: "Add suppressions" }).click();
  await expect(page.getByText("1 of 2 added")).toBeVisible();
  await expectNoPageFaults(page);
  await page.goto("/console/suppressions/import");
  await page
    .getByLabel("File with addresses")
    .setInputFiles({ name: "a.csv", mimeType: "text/csv", buffer: Buffer.from("b@c.de\nx") });
  await expect(page.getByText("Line 2")).toBeVisible();
  await expectNoPageFaults(page);
});

test("the domain pages", async ({ page, signIn }) => {
  const { companyId } = await signIn({ isOwner: true });
  const unverified = await anUnverifiedDomain(companyId, `new-${companyId}.example`);
  const domain = await aCheckedDomain(companyId, `old-${companyId}.example`, {
    answersFor: { spf: ["v=spf1 -all"], dmarc: null },
  });
  await aMonthOfReports(domain);
  const at = (path: string) => page.goto(`/console/domains${path}`);

  await at("");
  await page.getByRole("button", { name: "Create domain" }).click();
  await page.getByLabel("Domain name").fill("gmail.com");
  await page.keyboard.press("Enter");
  await expect(page.getByText(/public mailbox provider/)).toBeVisible();
  await expectNoPageFaults(page);

  for (const { id } of [unverified, domain]) {
    await at(`/${id}`);
    await expect(page.getByText("Expected").first()).toBeVisible();
    await expectNoPageFaults(page);
  }
  await at(`/${domain.id}?tab=reports`);
  await expect(page.locator("[data-bar] rect").first()).toBeVisible();
  await page.getByText("Show as table").first().click();
  await expectNoPageFaults(page);
  await at(`/${domain.id}?tab=settings`);
  await page.getByRole("button", { name: "Delete domain" }).click();
  await expect(page.getByRole("dialog").getByRole("textbox")).toBeFocused();
  await expectNoPageFaults(page);
  await at(`/${domain.id}/hand-over`);
  await expect(page.getByRole("heading", { level: 1 })).toBeVisible();
  await expectNoPageFaults(page);
});
