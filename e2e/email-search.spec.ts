import type { Page } from "@playwright/test";

import { emails as emailTable } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";

import { expect, test } from "./fixtures.ts";
import { manyEmails } from "./seed.ts";

const rowsOf = (page: Page) => page.getByRole("table").getByRole("row");

test("emails are found by recipient, status, subject and days, and the URL keeps it", async ({
  page,
  signIn,
}) => {
  const me = await signIn();
  await manyEmails(me, 40);
  await page.goto("/console/emails");
  await expect(rowsOf(page)).toHaveCount(21);
  await page.keyboard.press("/");
  await page.keyboard.type("dmitri");
  await expect(page).toHaveURL(/recipient=dmitri/);
  await expect(rowsOf(page)).toHaveCount(8);

  const chips = page.getByRole("navigation", { name: "Status" });
  await chips.getByRole("link", { name: "Bounced" }).click();
  await chips.getByRole("link", { name: "Delayed" }).click();
  await expect(page).toHaveURL(/status=bounced%2Cdelivery_delayed/);
  await expect(chips.getByRole("link", { name: "Bounced" })).toHaveAttribute(
    "aria-current",
    "true",
  );
  for (const row of (await rowsOf(page).all()).slice(1))
    await expect(row).toContainText(/Bounced|Delayed/);
  await page.reload();
  await expect(page.getByRole("searchbox")).toHaveValue("dmitri");
  await page.getByRole("button", { name: "Clear filters" }).click();
  await expect(rowsOf(page)).toHaveCount(21);

  await page.getByRole("button", { name: "Filters" }).click();
  await page.getByLabel("Subject").fill("password reset");
  await expect(page).toHaveURL(/subject=password/);
  await expect(rowsOf(page).nth(1)).toContainText("Reset your password");
  await page.getByLabel("Subject").fill("");
  await page.getByLabel("Sent by").selectOption("none");
  await expect(page).toHaveURL(/key=none/);
  await page.getByLabel("To", { exact: true }).fill("2020-01-01");
  await expect(page.getByRole("heading", { name: "No email fits" })).toBeVisible();
  await page.getByRole("link", { name: "show all emails" }).click();
  await expect(rowsOf(page)).toHaveCount(21);
});

test("a search that takes long shows how far it has come, stops and goes on", async ({
  page,
  signIn,
}) => {
  const me = await signIn();
  const rows = await manyEmails(me, 5);
  let step = 0;
  let isHeld = true;
  const steps: (() => void)[] = [];
  // What the server would say of a million emails.
  await page.route("**/console/api/emails?*recipient=rare*", async (route) => {
    const last = step++ === 3;
    if (step > 2 && isHeld) await new Promise<void>((resolve) => steps.push(resolve));
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
        ? { ...page, data: page.data.slice(0, 1), has_more: false, searched_to: null }
        : { ...page, data: [], has_more: true, searched_to: searchedTo },
    });
  });
  await page.goto("/console/emails?recipient=rare");
  await expect(page.getByText("Searching back to 1 March 2026")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Nothing so far" })).toBeVisible();
  await page.getByRole("button", { name: "Stop" }).click();
  isHeld = false;
  for (const resolve of steps) resolve();
  await expect(page.getByText(/Searched back to 1 \w+ 2026, and stopped/)).toBeVisible();
  await page.getByRole("button", { name: "Search further back" }).click();
  await expect(rowsOf(page)).toHaveCount(2);
  await expect(page.getByText("Newest first.")).toBeVisible();
});

test("new emails come in by themselves, and wait while somebody is at the list", async ({
  page,
  signIn,
}) => {
  const me = await signIn();
  const [newest] = await manyEmails(me, 5);
  const add = (subject: string, last: string) =>
    db()
      .insert(emailTable)
      .values({
        ...newest!,
        ...{ subject, id: newest!.id.replace(/.$/, last), createdAt: new Date().toISOString() },
      });
  await page.goto("/console/emails");
  await expect(rowsOf(page)).toHaveCount(6);
  await add("While nobody reads", "a");
  await expect(rowsOf(page).nth(1)).toContainText("While nobody reads");

  await rowsOf(page).nth(2).hover();
  await add("While somebody reads", "b");
  await expect(page.getByRole("button", { name: "Show 1 new email" })).toBeVisible();
  await expect(rowsOf(page).nth(1)).toContainText("While nobody reads");
  await page.getByRole("button", { name: "Show 1 new email" }).click();
  await expect(rowsOf(page).nth(1)).toContainText("While somebody reads");
});
