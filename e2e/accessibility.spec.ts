import { AxeBuilder } from "@axe-core/playwright";
import type { Page } from "@playwright/test";

import { ensureSetupToken } from "#server/core/companies/setup-token.ts";

import { expect, test } from "./fixtures.ts";
import { addEvents, manyEmails } from "./seed.ts";

async function expectNoViolations(page: Page) {
  // What stands in the preview is the email's author's.
  const { violations } = await new AxeBuilder({ page }).exclude("iframe").analyze();
  expect(violations.map(({ id, nodes }) => [id, nodes.map((node) => node.html)])).toEqual([]);
}

for (const colorScheme of ["light", "dark"] as const)
  test.describe(colorScheme, () => {
    test.use({ colorScheme, expectedComplaints: /Content Security Policy|sandboxed/ });

    test("the door", async ({ page, freshAppliance, signIn }) => {
      await page.goto(`${freshAppliance.url}/console/set-up`);
      await expect(page.getByRole("heading", { name: "Open the set-up link" })).toBeVisible();
      await expectNoViolations(page);

      const token = ensureSetupToken(freshAppliance.dataFolder);
      await page.goto(`${freshAppliance.url}/console/set-up?token=${token}`);
      await page.getByLabel("Company name").fill("Northwind");
      await page.getByLabel("Your name").fill("Ann");
      await page.getByLabel("Email address").fill("ann@example.com");
      await page.getByRole("textbox", { name: "Password" }).fill("short");
      await page.getByRole("button", { name: "Set up" }).click();
      await expect(page.getByText("Password must have at least 12 characters")).toBeVisible();
      await expectNoViolations(page);

      await signIn();
      await page.goto("/console/sign-in");
      await page.getByLabel("Email address").fill("ann@example.com");
      await page.getByRole("textbox", { name: "Password" }).fill("wrong");
      await page.getByRole("button", { name: "Sign in" }).click();
      await expect(page.getByText("The email address or the password is wrong")).toBeVisible();
      await expectNoViolations(page);

      await page.goto("/console/nowhere");
      await expect(page.getByRole("heading", { name: "There is no such page" })).toBeVisible();
      await expectNoViolations(page);
    });

    test("the emails", async ({ page, signIn, sendEmail }) => {
      const me = await signIn();
      await page.goto("/console/emails");
      await expect(page.getByRole("heading", { name: "Send your first email" })).toBeVisible();
      await expectNoViolations(page);

      await manyEmails(me, 25);
      await page.goto("/console/emails");
      await expect(page.getByRole("row")).toHaveCount(21);
      await expectNoViolations(page);

      const html = `<p>Hello</p><p style="background: url(//example.net/logo.png)"></p>`;
      const id = await sendEmail(me, { subject: "Your receipt", html });
      await addEvents(me.companyId, id, [
        { type: "bounced", recipient: "ben@example.net", dsn: "5.1.1", message: "550 no" },
      ]);
      await page.goto(`/console/emails/${id}`);
      await expect(
        page.getByRole("region", { name: "Timeline" }).getByText("550 no"),
      ).toBeVisible();
      await expectNoViolations(page);
      for (const tab of ["Text", "HTML"]) {
        await page.getByRole("tab", { name: tab }).click();
        await expectNoViolations(page);
      }

      await page.goto("/console/emails/01900000-0000-7000-8000-000000000000");
      await expect(page.getByRole("alert").filter({ hasText: "Email not found" })).toBeVisible();
      await expectNoViolations(page);
    });
  });
