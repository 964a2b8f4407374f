import { setTimeout } from "node:timers/promises";

import type { Page } from "@playwright/test";

import { aCompany, aDomain, anAdmin, anApiKey } from "#server/testing/factories.ts";
import { placedEmails } from "#server/testing/placed-emails.ts";

import { expect, test } from "./fixtures.ts";
import { emailsOfDays } from "./seed-metrics.ts";
import { mendAll, troubleOf } from "#server/testing/troubled-company.ts";

const CHECKLIST = "**/console/api/overview/checklist";

/** What the server has been told about the first steps, in the order of its answers. */
function keptOf(page: Page): boolean[] {
  const kept: boolean[] = [];
  page.on("requestfinished", (request) => {
    if (request.method() !== "PATCH") return;
    kept.push((request.postDataJSON() as { is_put_away: boolean }).is_put_away);
  });
  return kept;
}

const ALL = [
  ...(["api_controls", "domains", "view_users", "reset_user_passwords"] as const),
  ...(["update_users", "manage_settings"] as const),
];

test("what is in trouble is told with the way to it; mended, all is well", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ privileges: [...ALL] });
  const [domain] = [await aDomain(companyId)];
  await emailsOfDays(domain, { days: 10, perDay: 20 });
  await troubleOf(companyId);

  await page.goto("/console");
  await expect(page).toHaveURL(/\/console\/overview$/);
  const attention = page.getByRole("region", { name: "Needs your attention" });
  for (const text of [
    ...["news-", "DMARC record is missing", "crm.northwind.example failed for too long"],
    ...["billing.northwind.example failed 12 times", "takes no more mail", "is 97% full"],
    ...["1 mailbox sent is held", "has waited for 3 hours", "92% of the recipients"],
  ])
    await expect(attention.getByText(text)).toBeVisible();
  await expect(page.locator("[data-bar] rect").first()).toBeVisible();
  const figures = page.getByRole("list", { name: "State in numbers" });
  await expect(figures.getByRole("link", { name: /In quarantine 7/ })).toBeVisible();

  await attention.getByRole("link", { name: /news-/ }).click();
  await expect(page).toHaveURL(/\/console\/domains\//);
  await mendAll(companyId);
  await page.goto("/console/overview");
  await expect(page.getByText("All is well")).toBeVisible();
  await expect(attention).toBeHidden();
});

test("each sees only what is theirs", async ({ page, signIn }) => {
  const { companyId } = await signIn({ privileges: ["view_users"] });
  await troubleOf(companyId);
  await page.goto("/console/overview");
  await expect(page.getByText("is 97% full")).toBeVisible();
  await expect(page.getByText("Emails, last 14 days")).toBeHidden();
  await expect(page.getByText("webhook")).toBeHidden();

  await signIn({ privileges: [] });
  await page.goto("/console/overview");
  await expect(page.getByRole("heading", { name: "Nothing is shared with you yet" })).toBeVisible();
});

test("the first steps lead to the first email, by themselves", async ({ page, signIn }) => {
  const { companyId, domain } = await signIn();
  const kept = keptOf(page);
  await page.goto("/console/overview");
  const steps = page.getByRole("region", { name: "First steps" });
  const next = steps.locator('[aria-current="step"]');
  await expect(next).toContainText("Create an API key");

  await anApiKey(companyId);
  await expect(next).toContainText("Send the first email", { timeout: 20_000 });
  await expect(steps.getByRole("region", { name: "curl command" })).toContainText(
    `hello@${domain}`,
  );

  await steps.getByRole("button", { name: "Put away" }).click();
  await expect(steps).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(steps).toBeVisible();
  await steps.getByRole("button", { name: "Put away" }).click();
  await expect.poll(() => kept).toEqual([true, false, true]);
  await page.reload();
  await page.getByRole("button", { name: "Show the first steps" }).click();
  await expect(steps).toBeVisible();

  const sender = await aDomain(companyId);
  await placedEmails(sender, [{ sentAt: new Date().toISOString(), types: ["sent", "delivered"] }]);
  await expect(steps).toBeHidden({ timeout: 20_000 });
  await expect(page.getByText("All is well")).toBeVisible();
});

test("the last of two quick changes is what is kept", async ({ page, signIn }) => {
  await signIn();
  const kept = keptOf(page);
  await page.goto("/console/overview");
  const steps = page.getByRole("region", { name: "First steps" });
  await page.route(
    CHECKLIST,
    async (route) => {
      await setTimeout(1000);
      await route.continue();
    },
    { times: 1 },
  );
  await steps.getByRole("button", { name: "Put away" }).click();
  await expect(steps).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(steps).toBeVisible();
  await expect.poll(() => kept).toEqual([true, false]);
  await expect(steps).toBeVisible();
  await page.reload();
  await expect(steps).toBeVisible();
});

test("another company's trouble is not told", async ({ page, signIn }) => {
  const other = await aCompany();
  await anAdmin(other.id);
  await troubleOf(other.id);
  await signIn({ privileges: [...ALL] });
  await page.goto("/console/overview");
  await expect(page.getByText("All is well")).toBeVisible();
});
