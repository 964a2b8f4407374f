import { readFile } from "node:fs/promises";

import type { Locator } from "@playwright/test";

import { anApiKey } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { seedRequests } from "./seed-developer.ts";

// A list that is refreshed while offline.
test.use({ expectedConsoleErrors: /ERR_INTERNET_DISCONNECTED|Failed to fetch/ });

test("a list is sorted, its columns chosen, saved as a view and downloaded", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn();
  const key = await anApiKey(companyId);
  await seedRequests(companyId, 60, key.id);
  await page.goto("/console/logs");
  const newest = await page.getByRole("row").nth(1).getByRole("link").getAttribute("href");
  await expect(page.getByText("1–50 of 60")).toBeVisible();

  await page.getByRole("columnheader", { name: "Time" }).getByRole("button").click();
  await expect(page).toHaveURL(/\?sort=created$/);
  const first = page.getByRole("row").nth(1).getByRole("link");
  await expect(first).not.toHaveAttribute("href", newest!);
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page.getByRole("row")).toHaveCount(11);
  await expect(page.getByRole("row").last().getByRole("link")).toHaveAttribute("href", newest!);

  await page.getByRole("button", { name: "Columns" }).click();
  await page.getByRole("menuitemcheckbox", { name: "IP address" }).click();
  await page.keyboard.press("Escape");
  await expect(page.getByRole("columnheader", { name: "IP address" })).toBeHidden();

  await page.getByRole("link", { name: "Success" }).click();
  await expect(page).toHaveURL(/status=2xx/);
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("menuitem", { name: "Save this view" }).click();
  await page.getByRole("textbox", { name: "Name" }).fill("Oldest successes");
  await page.getByRole("button", { name: "Save view" }).click();
  await page.goto("/console/logs");
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("menuitem", { name: "Oldest successes" }).click();
  await expect(page).toHaveURL(/\?hide=address&sort=created&status=2xx$/);

  const download = page.getByRole("link", { name: "Download CSV" });
  // The link follows the URL with the next render.
  await expect(download).toHaveAttribute("href", /sort=created/);
  const downloading = page.waitForEvent("download");
  await download.click();
  const file = await readFile(await (await downloading).path(), "utf8");
  const [head, ...lines] = file.trimEnd().split("\r\n");
  expect(head).toContain("id,created_at,method,path,status");
  expect(lines.length).toBeGreaterThan(0);
  for (const line of lines) expect(line).toMatch(/,20\d,/);

  await page.getByRole("searchbox").fill("/nowhere");
  await expect(page.getByRole("heading", { name: "No matching requests" })).toBeVisible();
  await page.getByRole("link", { name: "clear filters" }).click();
  await expect(page).toHaveURL(/\?sort=created&hide=address$/);
});

test("a link followed right after typing a search opens its page, and Back returns to the search", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn();
  await seedRequests(companyId, 1, (await anApiKey(companyId)).id);
  let answer = () => {};
  const late = new Promise<void>((resolve) => (answer = resolve));
  await page.route(/\/console\/webhooks\?.*_rsc=/, async (route) => {
    await late;
    await route.continue();
  });
  await page.goto("/console/logs");
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByRole("searchbox").fill("/nowhere");
  await page.getByRole("link", { name: "Webhooks", exact: true }).click();
  await expect(page).toHaveURL(/endpoint=/);
  await expect(page.getByRole("progressbar", { name: "Loading" })).toBeAttached();
  await expectNoPageFaults(page);
  answer();
  await expect(page.getByRole("heading", { level: 1, name: "Webhooks" })).toBeVisible();
  await page.goBack();
  await expect(page.getByRole("searchbox")).toHaveValue("/nowhere");
});

test("text of a row can be selected, and a click on the row opens it", async ({ page, signIn }) => {
  const { companyId } = await signIn();
  await seedRequests(companyId, 3, (await anApiKey(companyId)).id);
  await page.goto("/console/logs");
  const row = page.getByRole("row").nth(1);
  const link = row.getByRole("link");
  const href = (await link.getAttribute("href"))!;
  const selected = () => page.evaluate(() => getSelection()!.toString());
  // From the first letter to the last one.
  const drag = async (text: Locator) => {
    const { x, y, width, height } = (await text.boundingBox())!;
    await page.mouse.move(x + 1, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + width - 1, y + height / 2, { steps: 5 });
    await page.mouse.up();
  };
  const status = row
    .getByRole("cell")
    .nth(1)
    .getByText(/^\d{3}/);
  for (const text of [link, status]) {
    await drag(text);
    expect((await text.innerText()).trim()).toContain(await selected());
    expect((await selected()).length).toBeGreaterThan(2);
    await expect(page).toHaveURL(/\/logs$/);
  }

  // While offline, a drag doesn't count as a click on the link either.
  const waiting = page.getByText("The page opens once you’re online again.");
  await page.context().setOffline(true);
  await expect(page.getByText("You’re offline.")).toBeVisible();
  await drag(link);
  await expect(waiting).toHaveCount(0);
  await page.context().setOffline(false);
  await expect(page.getByText("You’re offline.")).toBeHidden();

  const opening = page.context().waitForEvent("page");
  await status.click({ modifiers: ["ControlOrMeta"] });
  const other = await opening;
  await expect(other).toHaveURL(new RegExp(`${href}$`));
  await other.close();
  await expect(page).toHaveURL(/\/logs$/);

  // With text selected in the row, then elsewhere on the page.
  for (const text of [status, page.getByRole("heading", { level: 1 })]) {
    await drag(text);
    expect(await selected()).not.toBe("");
    await status.click();
    await expect(page).toHaveURL(new RegExp(`${href}$`));
    await page.goBack();
    await expect(status).toBeVisible();
  }
  await link.press("Enter");
  await expect(page).toHaveURL(new RegExp(`${href}$`));
});
