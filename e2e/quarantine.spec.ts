import type { Page } from "@playwright/test";

import { messageRecipients, quarantine } from "#drizzle/schema/index.ts";
import { deleteQuarantined } from "#server/core/quarantine/delete-quarantined.ts";
import type { Privilege } from "#server/core/privileges.ts";
import { db } from "#server/db/pool.ts";
import { aContext } from "#server/testing/factories.ts";

import { expect, test } from "./fixtures.ts";
import { expectNoFaults } from "./looks.ts";
import { heldMessages } from "./seed-quarantine.ts";

const LIST = "/console/quarantine";
const PRIVILEGES: Privilege[] = ["update_users", "manage_groups"];
const BOTH = { privileges: PRIVILEGES };

/** Who of the company gets a message, by its mailboxes' domain. */
const delivered = async (mailbox: string) =>
  (await db().select().from(messageRecipients)).filter(({ recipient }) => recipient === mailbox);
/** Released messages stay as rows until they are delivered. */
const held = async (companyId: string) =>
  (await db().select().from(quarantine)).filter(
    (one) => one.companyId === companyId && one.releasedAs === null,
  );
/** Focused by keyboard, once the list listens; `k` at the first row stays there. */
const firstRow = (page: Page) =>
  expect(async () => {
    await page.keyboard.press("k");
    await expect(page.getByRole("row").nth(1).getByRole("link")).toBeFocused({ timeout: 500 });
  }).toPass();
const row = (page: Page, name: RegExp) => page.getByRole("row", { name });

test("nothing held says what would be", async ({ page, signIn }) => {
  await signIn(BOTH);
  await page.goto("/console");
  await page.getByRole("link", { name: "Quarantine", exact: true }).click();
  await expect(page.getByRole("heading", { name: "Nothing is held" })).toBeVisible();
});

test("a held message tells why, shows its words only, and is released", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn(BOTH);
  const { mailbox } = await heldMessages(companyId);
  await page.goto(LIST);
  await expect(page.getByRole("row")).toHaveCount(4);
  await firstRow(page);
  await page.keyboard.press("Enter");

  const why = page.getByRole("region", { name: "Why it is held" });
  await expect(why).toContainText("rspamd gave it 13.4 points");
  await expect(why).toContainText("The sender's domain does not let this server send");
  await expect(why).toContainText("A rule of rspamd");
  const text = page.getByRole("region", { name: "Text" });
  await expect(text).toContainText("click here to claim your prize");
  await expect(text).toContainText("weather report");
  await expect(page.locator("main img")).toHaveCount(0);
  await page.getByRole("tab", { name: "Source" }).click();
  await expect(page.getByText('<img src="https://tracker')).toBeVisible();

  await page.getByRole("button", { name: "Release" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText(`It will be delivered to ${mailbox}`);
  await dialog.getByRole("button", { name: "Release 1 message" }).click();
  await expect(page).toHaveURL(new RegExp(`${LIST}$`));
  await expect(page.getByRole("row")).toHaveCount(3);
  expect(await delivered(mailbox)).toHaveLength(1);
});

test("filters and search stay in the address", async ({ page, signIn }) => {
  const { companyId } = await signIn(BOTH);
  await heldMessages(companyId);
  await page.goto(LIST);
  await page.getByRole("link", { name: "Virus" }).click();
  await expect(page).toHaveURL(/\?reason=virus$/);
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByLabel("Search held messages").fill("nobody");
  await expect(page.getByText("No held message fits.")).toBeVisible();
  await page.getByRole("link", { name: "Show all" }).click();
  await expect(page.getByRole("row")).toHaveCount(4);
  await page.goto(`${LIST}?search=MINUTES`);
  await expect(row(page, /Minutes of our meeting/)).toBeVisible();
  await expect(page.getByRole("row")).toHaveCount(2);
});

test("several are decided about at once, and who is gone is said", async ({ page, signIn }) => {
  const { companyId } = await signIn(BOTH);
  const { mailbox } = await heldMessages(companyId);
  await page.goto(LIST);
  await expect(page.getByRole("row")).toHaveCount(4);
  await expect(page.getByRole("button", { name: "Release" })).toHaveCount(0);
  await page.getByRole("checkbox", { name: /chosen! Claim/ }).check();
  await page.getByRole("checkbox", { name: /Overdue invoice/ }).check();
  await expect(page.getByText("2 messages chosen")).toBeVisible();
  await page.getByRole("button", { name: "Release" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("A virus scanner found something in at least one");
  await dialog.getByRole("button", { name: "Release 2 messages" }).click();
  await expect(page.getByText(/2 messages released\. No more: gone@/)).toBeVisible();
  expect(await delivered(mailbox)).toHaveLength(2);

  await page.getByRole("checkbox", { name: "Choose all on this page" }).check();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Reject 1 message" }).click();
  await expect(page.getByRole("heading", { name: "Nothing is held" })).toBeVisible();
  expect(await held(companyId)).toEqual([]);
});

test("a message that somebody else has decided about says so", async ({ page, signIn }) => {
  const { companyId } = await signIn(BOTH);
  const { post } = await heldMessages(companyId);
  await page.goto(`${LIST}/${post}`);
  await expect(page.getByText("Who wrote it could not be verified")).toBeVisible();
  await deleteQuarantined(aContext(companyId), post, ["moderation"]);
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Approve 1 message" }).click();
  await expect(page.getByText("Held message not found")).toBeVisible();
});

test("the quarantine can be used by everybody", async ({ page, signIn }) => {
  const { companyId } = await signIn(BOTH);
  await page.goto(LIST);
  await expect(page.getByRole("heading", { name: "Nothing is held" })).toBeVisible();
  await expectNoFaults(page);
  const { virus } = await heldMessages(companyId);
  await page.goto(LIST);
  await page.getByRole("checkbox").first().check();
  await expectNoFaults(page);
  await page.goto(`${LIST}/${virus}`);
  await expect(page.getByText("invoice.pdf.exe (")).toBeVisible();
  await expectNoFaults(page);
  await page.getByRole("button", { name: "Release" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expectNoFaults(page);
});
