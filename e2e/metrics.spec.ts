import { readFile } from "node:fs/promises";

import { aDomain } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";
import { findOverflow } from "./page-faults.ts";
import { seedEmailsByDay } from "./seed-metrics.ts";

test("metrics can be filtered by period, granularity and domain, and link to the emails", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn();
  const [shop, news] = [await aDomain(companyId), await aDomain(companyId)];
  await seedEmailsByDay(shop, { days: 20, perDay: 40 });
  await seedEmailsByDay(news, { days: 3, perDay: 10 });

  await page.goto("/console/metrics");
  const totals = page.getByRole("list", { name: "Emails by outcome and event" });
  await expect(totals.getByRole("link", { name: /^Delivered \d/ })).toBeVisible();
  await expect(page.locator("[data-bar] rect").first()).toBeVisible();

  await page.getByRole("link", { name: "7 days" }).click();
  await expect(page).toHaveURL(/period=7d/);
  await page.getByText("Hour", { exact: true }).click();
  await expect(page).toHaveURL(/granularity=hourly/);
  await page.reload();
  await expect(page.getByRole("radio", { name: "Hour" })).toBeChecked();

  const byDomain = page.getByRole("region", { name: "Emails by domain" });
  await expect(byDomain.getByRole("row")).toHaveCount(3);
  const week = page.getByRole("link", { name: "7 days" });
  const domain = await byDomain.getByRole("link", { name: news.name }).elementHandle();
  // The second click comes before the page shows the result of the first.
  await week.evaluate((link: HTMLElement, other) => {
    link.click();
    (other as HTMLElement).click();
  }, domain);
  await expect(page).toHaveURL(new RegExp(`\\?period=7d&domain=${news.id}$`));
  await expect(byDomain.getByRole("row")).toHaveCount(2);
  await expect(page.getByRole("combobox", { name: "Domain" })).toHaveValue(news.id);

  await page.getByText("Show as table").first().click();
  const table = page.getByRole("region", { name: "Emails by outcome and period" });
  await expect(table.getByRole("row")).toHaveCount(8);
  const { width, height } = page.viewportSize()!;
  expect(await findOverflow(page, 380)).toEqual([]);
  await page.setViewportSize({ width, height });

  await totals.getByRole("link", { name: /^Bounced \d/ }).click();
  await expect(page).toHaveURL(/\/console\/emails\?event=bounced&domain=.*&from=.*&to=/);
  await page.goBack();
  await expect(page).toHaveURL(new RegExp(`domain=${news.id}`));
});

test("a chart shows its numbers on hover and with the keyboard", async ({ page, signIn }) => {
  const { companyId } = await signIn();
  await seedEmailsByDay(await aDomain(companyId), { days: 20, perDay: 40 });
  await page.goto("/console/metrics?period=14d");
  const chart = page.getByRole("slider", { name: "Emails by outcome" });
  const bars = chart.locator("[data-bar]");
  await expect(bars).toHaveCount(14);
  const tip = (nth: number) => bars.nth(nth).getAttribute("data-bar");

  await bars.nth(2).hover();
  await expect(chart.getByText((await tip(2))!)).toBeVisible();
  await expect(chart.getByText("Bounced or failed")).toBeVisible();
  await page.getByRole("heading", { level: 1 }).hover();
  await expect(chart.getByText("Bounced or failed")).toBeHidden();

  await chart.focus();
  await page.keyboard.press("Home");
  await page.keyboard.press("ArrowRight");
  await expect(chart.getByText((await tip(1))!)).toBeVisible();
  await expect(chart).toHaveAttribute("aria-valuenow", "2");
  await expect(chart).toHaveAttribute(
    "aria-valuetext",
    new RegExp(
      `^${await tip(1)}: Delivered \\d+, Pending \\d+, Bounced or failed \\d+, Not sent \\d+$`,
    ),
  );
  await page.keyboard.press("Escape");
  await expect(chart.getByText("Bounced or failed")).toBeHidden();

  const rate = page.getByRole("slider", { name: "Bounce rate" });
  await rate.focus();
  await page.keyboard.press("End");
  await expect(rate.getByText((await tip(13))!)).toBeVisible();
});

test("the numbers can be downloaded as CSV", async ({ page, signIn }) => {
  const { companyId } = await signIn();
  await seedEmailsByDay(await aDomain(companyId), { days: 2, perDay: 10 });
  await page.goto("/console/metrics?period=7d");
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    page.getByRole("button", { name: "Download CSV" }).first().click(),
  ]);
  expect(download.suggestedFilename()).toBe("emails.csv");
  const lines = (await readFile(await download.path(), "utf8")).trimEnd().split("\r\n");
  expect(lines[0]).toMatch(
    /^\uFEFFday,emails,done,waiting,failed,not_sent,opened,.*,delivery_rate,bounce_rate/,
  );
  expect(lines).toHaveLength(8);
});

test("a period without emails says so, and a custom date range is kept in the URL", async ({
  page,
  signIn,
}) => {
  await signIn();
  await page.goto("/console/metrics");
  await expect(page.getByRole("heading", { name: "No emails in this period" })).toBeVisible();
  await page.getByLabel("From").fill("2026-03-05");
  await page.getByLabel("To", { exact: true }).fill("2026-03-01");
  await expect(page.getByText("The start date is after the end date.")).toBeVisible();
  await page.getByLabel("To", { exact: true }).fill("2026-03-06");
  await expect(page).toHaveURL(/from=2026-03-05&to=2026-03-06/);
});

test("without View emails, the page names the missing privilege", async ({ page, signIn }) => {
  await signIn({ privileges: ["domains"] });
  await page.goto("/console/metrics");
  await expect(
    page.getByRole("alert").filter({ hasText: "You don’t have access to the metrics" }),
  ).toContainText(
    /You need the API controls or View emails privilege\. Ask an owner of your company for it\.$/,
  );
});
