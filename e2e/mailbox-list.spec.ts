import { readFile } from "node:fs/promises";

import type { Page } from "@playwright/test";

import { type Privilege, UNIT_PRIVILEGES } from "#server/universal/privileges.ts";
import { mailboxes } from "#drizzle/schema/index.ts";
import { db, pool } from "#server/db/pool.ts";
import { aDomain } from "#server/testing/factories.ts";

import { expectNoPageFaults } from "./page-faults.ts";
import { expect, test } from "./mail-server.ts";
import { aCountedMailbox, manyMailboxes } from "./seed-mailboxes.ts";

const LIST = "/console/mailboxes";
const ALL = { privileges: [...UNIT_PRIVILEGES] as Privilege[] };
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const rows = (page: Page) => page.getByRole("row");
const firstRow = (page: Page) => rows(page).nth(1);
const header = (page: Page, name: string) => page.getByRole("columnheader", { name });

test("sorting and filters are kept in the URL, and Back undoes each", async ({ page, signIn }) => {
  const { companyId } = await signIn(ALL);
  const { long } = await manyMailboxes(companyId, 60);
  await page.goto(LIST);
  await expect(page.getByText("1–50 of 63")).toBeVisible();
  await expect(header(page, "Address")).toHaveAttribute("aria-sort", "ascending");
  await button(page, "Storage").focus();
  await page.keyboard.press("Enter");
  await expect(header(page, "Storage")).toHaveAttribute("aria-sort", "ascending");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\?sort=-storage$/);
  await expect(header(page, "Storage")).toHaveAttribute("aria-sort", "descending");
  await expect(firstRow(page)).toContainText("Full");
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page.getByText("51–63 of 63")).toBeVisible();
  await page.getByRole("link", { name: "Previous" }).click();
  await expect(page.getByText("1–50 of 63")).toBeVisible();
  await page.getByLabel("Status").selectOption("Full");
  await expect(page).toHaveURL(/\?sort=-storage&status=full$/);
  await expect(rows(page).filter({ hasText: long })).toBeVisible();
  await expect(page.getByText(/^1–\d of \d$/)).toBeVisible();

  await page.goBack();
  await expect(page).toHaveURL(/\?sort=-storage$/);
  await expect(page.getByLabel("Status")).toHaveValue("");
  await expect(page.getByText("1–50 of 63")).toBeVisible();
});

test("the overview enlarges nearly full mailboxes, and its number opens them", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn(ALL);
  await manyMailboxes(companyId, 60);
  await page.goto("/console");
  await page.getByRole("button", { name: "Increase storage" }).last().click();
  await expect(page.getByRole("dialog", { name: /^Change storage limit of/ })).toBeVisible();
  await page.getByRole("dialog").getByRole("button", { name: "Cancel" }).click();
  const figure = page.getByRole("link", { name: /Nearly full mailboxes/ });
  const count = /mailboxes(\d+)/.exec((await figure.textContent())!)![1]!;
  await figure.click();
  await expect(page.getByLabel("Status")).toHaveValue("nearly_full");
  await expect(page.getByText(`1–${count} of ${count}`)).toBeVisible();
  await expect(rows(page)).toHaveCount(Number(count) + 1);
});

test("addresses, the longest status and the storage fit their columns", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn(ALL);
  await manyMailboxes(companyId, 60);
  await page.setViewportSize({ width: 1440, height: 900 });
  await page.goto(`${LIST}?status=password_due`);
  const cell = firstRow(page).locator("td", { hasText: "Password change required" });
  await expect(cell).toBeVisible();
  expect(await cell.evaluate((cell) => cell.scrollWidth - cell.clientWidth)).toBe(0);

  const address = "christopher.w@northwind-trading.example";
  await aCountedMailbox(await aDomain(companyId, { name: "northwind-trading.example" }), {
    address,
    usedMb: 9_420,
  });
  await page.goto(`${LIST}?search=christopher.w`);
  await expect(firstRow(page)).toContainText("9.2 GB of 10 GB");
  const unit = firstRow(page).getByRole("cell", { name: "Northwind Trading" });
  expect(await unit.evaluate((cell) => cell.scrollWidth - cell.clientWidth)).toBe(0);
  // Rows with a wrapped address are higher.
  expect((await firstRow(page).boundingBox())!.height).toBeLessThan(45);
  const isCut = await firstRow(page)
    .getByText("9.2 GB of 10 GB")
    .evaluate(
      (words) => words.scrollWidth > words.clientWidth || words.scrollHeight > words.clientHeight,
    );
  expect(isCut).toBe(false);
});

test("the list is downloaded as CSV, as it is filtered and sorted", async ({ page, signIn }) => {
  const { companyId, domain } = await signIn(ALL);
  await manyMailboxes(companyId, 0);
  await page.goto(`${LIST}?sort=-name&search=lee`);
  await expect(rows(page)).toHaveCount(2);
  const download = page.waitForEvent("download");
  await page.getByRole("link", { name: "Download CSV" }).click();
  const file = await download;
  expect(file.suggestedFilename()).toBe("mailboxes.csv");
  const lines = (await readFile(await file.path(), "utf8")).trim().split("\r\n");
  expect(lines[0]).toContain("address,name,unit");
  expect(lines.slice(1)).toEqual([expect.stringContaining(`ann.lee@${domain},Ann Lee`)]);
});

test("columns are hidden and shown, and a reload keeps them", async ({ page, signIn }) => {
  const { companyId } = await signIn(ALL);
  await manyMailboxes(companyId, 0);
  await page.goto(LIST);
  await expect(header(page, "Unit")).toBeVisible();
  await button(page, "Columns").click();
  await expect(page.getByRole("menuitemcheckbox", { name: "Name" })).toBeFocused();
  await expectNoPageFaults(page, [{ width: 1440, colorScheme: "light" }]);
  await page.getByRole("menuitemcheckbox", { name: "Unit" }).click();
  await expect(header(page, "Unit")).toHaveCount(0);
  await page.keyboard.press("Escape");
  await expect(button(page, "Columns")).toBeFocused();
  await page.reload();
  await expect(header(page, "Storage")).toBeVisible();
  await expect(header(page, "Unit")).toHaveCount(0);
});

test("a row's menu suspends and restores its mailbox", async ({ page, signIn }) => {
  const { companyId, domain } = await signIn(ALL);
  await manyMailboxes(companyId, 0);
  await page.goto(`${LIST}?status=active`);
  await button(page, `Actions for ann.lee@${domain}`).press("Enter");
  await expect(page.getByRole("menuitem", { name: "Reset password" })).toBeFocused();
  await expectNoPageFaults(page);
  await page.getByRole("menuitem", { name: "Suspend mailbox" }).click();
  await button(page, "Suspend 1 mailbox").click();
  await expect(page.getByRole("dialog")).toContainText("Suspended: 1 mailbox.");
  await button(page, "Close").click();
  await expect(rows(page).filter({ hasText: "ann.lee" })).toHaveCount(0);
});

test("a row's menu resets a password, which is shown with a Copy button", async ({
  page,
  signIn,
}) => {
  const { companyId, domain } = await signIn(ALL);
  await manyMailboxes(companyId, 0);
  await page.goto(LIST);
  await button(page, `Actions for ann.lee@${domain}`).press("Enter");
  await page.getByRole("menuitem", { name: "Reset password" }).click();
  await button(page, "Reset 1 password").click();
  await expect(page.getByRole("dialog")).toContainText("You won’t be able to see it again.");
  const shown = page.getByRole("region", { name: `temporary password for ann.lee@${domain}` });
  await expectNoPageFaults(page);
  await button(page, `Copy temporary password for ann.lee@${domain}`).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toBe(
    (await shown.innerText()).trim(),
  );
  await button(page, "I’ve saved it").click();
  await expect(page.getByRole("dialog")).toHaveCount(0);
});

test("menus copy an address, add the mailbox to a group, and act from its page", async ({
  page,
  signIn,
}) => {
  const { companyId, domain } = await signIn({ ...ALL, isOwner: true });
  await manyMailboxes(companyId, 0);
  const address = `ben.held@${domain}`;
  const choose = async (menu: string, item: string) => {
    await button(page, menu).press("Enter");
    await page.getByRole("menuitem", { name: item }).click();
  };
  await page.goto(LIST);
  await choose(`Actions for ${address}`, "Copy address");
  await expect.poll(() => page.evaluate(() => navigator.clipboard.readText())).toBe(address);
  await choose(`Actions for ${address}`, "Add to group");
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox").fill("support");
  await dialog.getByRole("option", { name: `support@${domain}` }).click();
  await dialog.getByRole("button", { name: /^Add/ }).click();
  await expect(dialog).toContainText("1 mailbox.");
  await button(page, "Close").click();

  await page.getByRole("link", { name: address }).click();
  await expect(page.getByRole("link", { name: `support@${domain}` })).toBeVisible();
  await choose("Actions", "Delete mailbox");
  await expect(dialog).toContainText("1 mailbox with 120 MB of mail will be deleted.");
  await dialog.getByRole("textbox", { name: "Type 1 to confirm" }).fill("1");
  await dialog.getByRole("button", { name: "Delete 1 mailbox" }).click();
  await button(page, "Close").click();
  await expect(page).toHaveURL(/\/console\/mailboxes$/);
  await expect(rows(page).filter({ hasText: address })).toHaveCount(0);
});

test("a page whose rows were deleted leads back to the first one", async ({ page, signIn }) => {
  const { companyId } = await signIn(ALL);
  const { ann } = await manyMailboxes(companyId, 51);
  await page.goto(`${LIST}?search=@`);
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page.getByText("51–54 of 54")).toBeVisible();
  await pool().sql`delete from addresses where company_id = ${companyId} and address <> ${ann}
    and kind = 'mailbox'`;
  await page.reload();
  await expect(page.getByText("Nothing is left on this page.")).toBeVisible();
  await expectNoPageFaults(page);
  await page.getByRole("link", { name: "Go to first page" }).click();
  await expect(page.getByText("1–1 of 1")).toBeVisible();
  expect((await db().select().from(mailboxes)).map(({ address }) => address)).toContain(ann);
});

test("relative times stay current while a page is open", async ({ page, signIn }) => {
  const { companyId } = await signIn(ALL);
  await manyMailboxes(companyId, 1);
  await page.clock.install();
  await page.goto(`${LIST}?status=active`);
  const time = rows(page).locator("time").first();
  await expect(time).toHaveText(/just now|seconds ago/);
  await page.clock.fastForward("03:00");
  await expect(time).toHaveText(/^[34] minutes ago$/);
});

test("a sorted list is accessible and fits the screen", async ({ page, signIn }) => {
  const { companyId } = await signIn(ALL);
  await manyMailboxes(companyId, 3);
  await page.goto(`${LIST}?sort=-sign_in`);
  await expect(rows(page)).toHaveCount(7);
  await expectNoPageFaults(page);
});
