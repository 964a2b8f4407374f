import { setTimeout } from "node:timers/promises";

import type { Page } from "@playwright/test";

import { aCompany, aDomain, anAdmin, anApiKey } from "#server/testing/factories.ts";
import { placedEmails } from "#server/testing/placed-emails.ts";

import { expect, test } from "./fixtures.ts";
import { seedEmailsByDay } from "./seed-metrics.ts";
import { resolveProblems, causeProblems } from "#server/testing/troubled-company.ts";

const CHECKLIST = "**/console/api/overview/changeChecklist";

/** The `isHidden` values sent to the server, in the order of its responses. */
function sentValues(page: Page): boolean[] {
  const sent: boolean[] = [];
  page.on("requestfinished", (request) => {
    if (!request.url().endsWith("/changeChecklist")) return;
    sent.push((request.postDataJSON() as { isHidden: boolean }).isHidden);
  });
  return sent;
}

const ALL = [
  ...(["api_controls", "domains", "view_users", "reset_user_passwords"] as const),
  ...(["update_users", "manage_settings"] as const),
];

test("problems are solved in place, snoozed, and disappear once fixed", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ privileges: [...ALL] });
  const domain = await aDomain(companyId);
  // Too few for an alarm about the bounce rate.
  await seedEmailsByDay(domain, { days: 10, perDay: 8 });
  await causeProblems(companyId);

  await page.goto("/console");
  await expect(page).toHaveURL(/\/console\/overview$/);
  const attention = page.getByRole("region", { name: "Needs attention" });
  for (const text of [
    "can’t send yet",
    "is missing its DMARC record",
    "crm.northwind.example was disabled",
    "billing.northwind.example failed 12 times",
    "new mail is deferred",
    "is 97% full",
    "Mail from 1 mailbox is on hold",
    "queued for 3 hours",
    "92% of its recipients",
  ])
    await expect(attention.getByText(text)).toBeVisible();
  await expect(page.locator("[data-bar] rect").first()).toBeVisible();
  const figures = page.getByRole("list", { name: "Key figures" });
  await expect(figures.getByRole("link", { name: /In quarantine 7/ })).toBeVisible();
  const row = (text: string) => attention.getByRole("listitem").filter({ hasText: text });

  await row("was disabled").getByRole("button", { name: "Enable" }).click();
  await expect(page.getByText("Webhook enabled")).toBeVisible();
  await expect(row("was disabled")).toBeHidden();
  await row("can’t send yet").getByRole("button", { name: "Check now" }).click();
  await expect(page.getByText("is still missing records")).toBeVisible();
  await row("billing.northwind.example")
    .getByRole("button", { name: /Replay/ })
    .click();
  await expect(page.getByText("No failed events in the last 30 days")).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();

  await page.getByRole("button", { name: "Snooze: Full" }).click();
  await page.getByRole("menuitem", { name: "For a week" }).click();
  await expect(row("new mail is deferred")).toBeHidden();
  await page.reload();
  await attention.getByText("1 snoozed problem").click();
  await expect(attention.getByText("Comes back")).toBeVisible();
  await attention.getByRole("button", { name: "End snooze" }).click();
  await expect(page.getByRole("button", { name: "Snooze: Full" })).toBeVisible();

  await resolveProblems(companyId);
  await page.goto("/console/overview");
  await expect(page.getByText("No issues")).toBeVisible();
  await expect(attention).toBeHidden();
});

test("like problems are one row, whose number opens them", async ({ page, signIn }) => {
  const { companyId } = await signIn({ privileges: [...ALL] });
  for (const name of ["one", "two"])
    await aDomain(companyId, { name: `${name}-${companyId.slice(-4)}.test`, status: "pending" });
  await page.goto("/console/overview");
  const row = page.getByRole("listitem").filter({ hasText: "2 domains can’t send yet" });
  await expect(row.getByRole("button", { name: "Check now" }).first()).toBeVisible();
  await row.getByText("Show domains").click();
  await expect(row.getByRole("link", { name: /^one-/ })).toBeVisible();
  await expect(row.getByRole("link")).toHaveCount(2);
});

test("rates that providers don’t accept need attention, with the numbers of Metrics", async ({
  page,
  signIn,
}) => {
  const domain = await aDomain((await signIn()).companyId);
  const sentAt = new Date(Date.now() - 3_600_000).toISOString();
  const histories = [
    ...Array.from({ length: 176 }, () => ["sent", "delivered"] as const),
    ...Array.from({ length: 8 }, () => ["sent", "delivered", "complained"] as const),
    ...Array.from({ length: 16 }, () => ["sent", "bounced"] as const),
  ];
  await placedEmails(
    domain,
    histories.map((types) => ({ sentAt, types: [...types] })),
  );
  await page.goto("/console/overview");
  const attention = page.getByRole("region", { name: "Needs attention" });
  await expect(attention).toContainText("4.35% of delivered emails got a spam complaint");
  await expect(page.getByText("Tracking is off")).toHaveCount(2);
  await attention.getByRole("link", { name: /^8.00% of emails bounced/ }).click();
  await expect(page).toHaveURL(/\/console\/metrics\?period=14d$/);
  const totals = page.getByRole("list", { name: "Emails by outcome and event" });
  for (const total of [/^Emails 200/, /^Delivered 184/, /^Bounced 16/, /^Complained 8/])
    await expect(totals.getByRole("link", { name: total })).toBeVisible();
  await expect(page.getByRole("region", { name: "Bounce rate" })).toContainText("8.00%");
  await expect(page.getByText("Tracking is off.")).toHaveCount(2);
});

test("admins see only what their privileges allow", async ({ page, signIn }) => {
  const { companyId } = await signIn({ privileges: ["view_users"] });
  await causeProblems(companyId);
  await page.goto("/console/overview");
  await expect(page.getByText("is 97% full")).toBeVisible();
  await expect(page.getByText("Emails, last 14 days")).toBeHidden();
  await expect(page.getByText("webhook")).toBeHidden();

  await signIn({ privileges: [] });
  await page.goto("/console/overview");
  await expect(page.getByRole("heading", { name: "You don’t have access yet" })).toBeVisible();
});

test("a new admin chooses a goal and gets its steps", async ({ page, signIn }) => {
  await signIn({ privileges: [...ALL, "create_users", "manage_admins"] });
  await page.goto("/console/overview");
  await page.getByRole("button", { name: "Mailboxes for my team" }).click();
  const steps = page.getByRole("region", { name: "Get started" });
  await expect(steps.getByText("1 of 6 steps done")).toBeVisible();
  await expect(steps.getByRole("link", { name: "View DNS records" })).toBeVisible();
  await expect(page.getByText("No issues")).toBeHidden();

  await steps.getByRole("button", { name: "Change goal" }).click();
  await page.getByRole("button", { name: "Send from an app" }).click();
  await expect(steps.getByText("2 of 6 steps done")).toBeVisible();
  await steps.getByRole("link", { name: "Create API key" }).click();
  await expect(page).toHaveURL(/\/api-keys\/new$/);
});

test("the setup steps follow what exists, until they are hidden or the goal is reached", async ({
  page,
  signIn,
}) => {
  const { companyId, domain } = await signIn();
  const sent = sentValues(page);
  await page.goto("/console/overview");
  const steps = page.getByRole("region", { name: "Get started" });
  const next = steps.locator('[aria-current="step"]');
  await expect(next).toContainText("Create an API key");

  await anApiKey(companyId);
  await expect(next).toContainText("Send your first email", { timeout: 20_000 });
  await expect(steps.getByRole("region", { name: "curl command" })).toContainText(
    `hello@${domain}`,
  );

  await steps.getByRole("button", { name: "Hide steps" }).click();
  await expect(steps).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(steps).toBeVisible();
  await steps.getByRole("button", { name: "Hide steps" }).click();
  await expect.poll(() => sent).toEqual([true, false, true]);
  await page.reload();
  await expect(page.getByText("No issues")).toBeVisible();
  await page.getByRole("button", { name: "Show setup steps" }).click();
  await expect(steps).toBeVisible();

  const sender = await aDomain(companyId);
  await placedEmails(sender, [{ sentAt: new Date().toISOString(), types: ["sent", "delivered"] }]);
  await expect(steps).toBeHidden({ timeout: 20_000 });
  await expect(page.getByText("No issues")).toBeVisible();
});

test("the last of two quick changes wins", async ({ page, signIn }) => {
  await signIn();
  const sent = sentValues(page);
  await page.goto("/console/overview");
  const steps = page.getByRole("region", { name: "Get started" });
  await page.route(
    CHECKLIST,
    async (route) => {
      await setTimeout(1000);
      await route.continue();
    },
    { times: 1 },
  );
  await steps.getByRole("button", { name: "Hide steps" }).click();
  await expect(steps).toBeHidden();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(steps).toBeVisible();
  await expect.poll(() => sent).toEqual([true, false]);
  await expect(steps).toBeVisible();
  await page.reload();
  await expect(steps).toBeVisible();
});

test("another company's problems aren't shown", async ({ page, signIn }) => {
  const other = await aCompany();
  await anAdmin(other.id);
  await causeProblems(other.id);
  await signIn({ privileges: [...ALL] });
  await page.goto("/console/overview");
  await expect(page.getByRole("region", { name: "Get started" })).toBeVisible();
  await expect(page.getByText("Needs attention")).toBeHidden();
});
