import type { Page } from "@playwright/test";

import { emails as emailTable } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";

import { expect, test } from "./fixtures.ts";
import { seedEmails } from "./seed.ts";

const rowsOf = (page: Page) => page.getByRole("table").getByRole("row");

test("emails are found by recipient, subject, ID, status and date, and the URL keeps the filters", async ({
  page,
  signIn,
}) => {
  const me = await signIn();
  const [one] = await seedEmails(me, 40);
  await page.goto("/console/emails");
  await expect(rowsOf(page)).toHaveCount(21);
  await page.keyboard.press("/");
  await page.keyboard.type("dmitri");
  await expect(page).toHaveURL(/search=dmitri/);
  await expect(rowsOf(page)).toHaveCount(8);

  const chips = page.getByRole("navigation", { name: "Status" });
  const delayed = await chips.getByRole("link", { name: "Delayed" }).elementHandle();
  // The second click comes before the page shows the result of the first.
  await chips.getByRole("link", { name: "Bounced" }).evaluate((link: HTMLElement, other) => {
    link.click();
    (other as HTMLElement).click();
  }, delayed);
  await expect(page).toHaveURL(/status=bounced%2Cdelivery_delayed/);
  await expect(chips.getByRole("link", { name: "Bounced" })).toHaveAttribute(
    "aria-current",
    "true",
  );
  const emails = rowsOf(page).filter({ has: page.getByRole("cell") });
  await expect(emails.filter({ hasNotText: /Bounced|Delayed/ })).toHaveCount(0);
  await page.reload();
  await expect(page.getByRole("searchbox")).toHaveValue("dmitri");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rowsOf(page)).toHaveCount(21);
  await page.getByRole("searchbox").fill(one!.id);
  await expect(rowsOf(page)).toHaveCount(2);
  await page.getByRole("searchbox").fill("reset password");
  await expect(rowsOf(page).nth(1)).toContainText("Reset your password");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rowsOf(page)).toHaveCount(21);

  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByLabel("Subject", { exact: true }).fill("password reset");
  await expect(page).toHaveURL(/subject=password/);
  await expect(rowsOf(page).nth(1)).toContainText("Reset your password");
  await page.getByLabel("Subject", { exact: true }).fill("");
  await page.getByLabel("Sent by").selectOption("none");
  await expect(page).toHaveURL(/key=none/);
  await page.getByLabel("To", { exact: true }).fill("2020-01-01");
  await expect(
    page.getByRole("heading", { name: "No matching emails", exact: true }),
  ).toBeVisible();
  await page.getByRole("link", { name: "clear filters" }).click();
  await expect(rowsOf(page)).toHaveCount(21);
});

test("a long search shows its progress and can be stopped and continued", async ({
  page,
  signIn,
}) => {
  const me = await signIn();
  const rows = await seedEmails(me, 5);
  let step = 0;
  let isBlocked = true;
  const steps: (() => void)[] = [];
  // Simulates a search through a million emails.
  await page.route("**/console/api/emails/list?*recipient=rare*", async (route) => {
    const last = step++ === 3;
    if (step > 2 && isBlocked) await new Promise<void>((resolve) => steps.push(resolve));
    const answer = await route.fetch({
      url: route
        .request()
        .url()
        .replace("recipient=rare", "recipient=ben.okafor")
        .replace(/after=[^&]*&?/, ""),
    });
    const page = (await answer.json()) as { data: unknown[] };
    const searchedTo = { id: rows[4]!.id, at: `2026-0${5 - step}-01T12:00:00.000Z` };
    await route.fulfill({
      json: last
        ? { ...page, data: page.data.slice(0, 1), hasMore: false, searchedTo: null }
        : { ...page, data: [], hasMore: true, searchedTo },
    });
  });
  await page.goto("/console/emails?recipient=rare");
  await expect(page.getByText("Searching back to March 1, 2026")).toBeVisible();
  await expect(page.getByRole("heading", { name: "No matching emails yet" })).toBeVisible();
  await page.getByRole("button", { name: "Stop search" }).click();
  isBlocked = false;
  for (const resolve of steps) resolve();
  await expect(page.getByText(/Search stopped\. Searched back to \w+ 1, 2026/)).toBeVisible();
  await page.getByRole("button", { name: "Continue search" }).click();
  await expect(rowsOf(page)).toHaveCount(2);
  await expect(page.getByText("Newest first.")).toBeVisible();
});

test("new emails appear automatically, but wait while the list is in use", async ({
  page,
  signIn,
}) => {
  const me = await signIn();
  const [newest] = await seedEmails(me, 5);
  const add = (subject: string, last: string) =>
    db()
      .insert(emailTable)
      .values({
        ...newest!,
        subject,
        id: newest!.id.replace(/.$/, last),
        createdAt: new Date().toISOString(),
      });
  await page.goto("/console/emails");
  await expect(rowsOf(page)).toHaveCount(6);
  await add("Sent while the list is idle", "a");
  await expect(rowsOf(page).nth(1)).toContainText("Sent while the list is idle");

  await rowsOf(page).nth(2).hover();
  await add("Sent while the list is in use", "b");
  await expect(page.getByRole("button", { name: "Show 1 new email" })).toBeVisible();
  await expect(rowsOf(page).nth(1)).toContainText("Sent while the list is idle");
  await page.getByRole("button", { name: "Show 1 new email" }).click();
  await expect(rowsOf(page).nth(1)).toContainText("Sent while the list is in use");
});
