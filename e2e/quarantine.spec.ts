import type { Page } from "@playwright/test";

import { messageRecipients, quarantine } from "#drizzle/schema/index.ts";
import { deleteQuarantined } from "#server/core/mail/quarantine/quarantine.ts";
import { db } from "#server/db/pool.ts";
import { aContext } from "#server/testing/factories.ts";
import type { Privilege } from "#server/universal/privileges.ts";

import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { quarantinedMessages } from "./seed-quarantine.ts";

const LIST = "/console/quarantine";
const PRIVILEGES: Privilege[] = ["update_users", "manage_groups"];
const BOTH = { privileges: PRIVILEGES };

/** Message recipient rows for a mailbox. */
const delivered = async (mailbox: string) =>
  (await db().select().from(messageRecipients)).filter(({ recipient }) => recipient === mailbox);
/** Excludes released messages, whose rows stay until delivery. */
const quarantined = async (companyId: string) =>
  (await db().select().from(quarantine)).filter(
    (one) => one.companyId === companyId && one.releasedAs === null,
  );
/** Retries until the list is hydrated; pressing `k` on the first row keeps the focus there. */
const firstRow = (page: Page) =>
  expect(async () => {
    await page.keyboard.press("k");
    await expect(page.getByRole("row").nth(1).getByRole("link")).toBeFocused({ timeout: 500 });
  }).toPass();
const row = (page: Page, name: RegExp) => page.getByRole("row", { name });

test("an empty quarantine explains what it is for", async ({ page, signIn }) => {
  await signIn(BOTH);
  await page.goto("/console");
  await page.getByRole("link", { name: "Quarantine", exact: true }).click();
  await expect(page.getByRole("heading", { name: "No messages in quarantine" })).toBeVisible();
});

test("a quarantined message shows the reason and plain text, and is released", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn(BOTH);
  const { mailbox } = await quarantinedMessages(companyId);
  await page.goto(LIST);
  await expect(page.getByRole("row")).toHaveCount(4);
  await firstRow(page);
  await page.keyboard.press("Enter");

  const why = page.getByRole("region", { name: "Reason" });
  await expect(why).toContainText("rspamd score: 13.4");
  await expect(why).toContainText(
    "SPF failed: the sender’s domain doesn’t allow this server to send",
  );
  await expect(why).toContainText("Other rspamd rule");
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

test("filters and search are kept in the URL", async ({ page, signIn }) => {
  const { companyId } = await signIn(BOTH);
  await quarantinedMessages(companyId);
  await page.goto(LIST);
  await page.getByRole("link", { name: "Virus" }).click();
  await expect(page).toHaveURL(/\?reason=virus$/);
  await expect(page.getByRole("row")).toHaveCount(2);
  await page.getByLabel("Search quarantined messages").fill("nobody");
  await expect(page.getByText("No matching messages")).toBeVisible();
  await page.getByRole("link", { name: "Clear filters" }).click();
  await expect(page.getByRole("row")).toHaveCount(4);
  await page.goto(`${LIST}?search=MINUTES`);
  await expect(row(page, /Minutes of our meeting/)).toBeVisible();
  await expect(page.getByRole("row")).toHaveCount(2);
});

test("bulk actions release and delete, and name recipients that no longer exist", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn(BOTH);
  const { mailbox } = await quarantinedMessages(companyId);
  await page.goto(LIST);
  await expect(page.getByRole("row")).toHaveCount(4);
  await expect(page.getByRole("button", { name: "Release" })).toHaveCount(0);
  await page.getByRole("checkbox", { name: /chosen! Claim/ }).check();
  await page.getByRole("checkbox", { name: /Overdue invoice/ }).check();
  await expect(page.getByText("2 messages selected")).toBeVisible();
  await page.getByRole("button", { name: "Release" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("A virus scanner flagged at least one");
  await dialog.getByRole("button", { name: "Release 2 messages" }).click();
  await expect(
    page.getByText(/2 messages released\. Recipients that no longer exist: gone@/),
  ).toBeVisible();
  expect(await delivered(mailbox)).toHaveLength(2);

  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Delete" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Reject 1 message" }).click();
  await expect(page.getByRole("heading", { name: "No messages in quarantine" })).toBeVisible();
  expect(await quarantined(companyId)).toEqual([]);
});

test("deciding on a message that another admin deleted shows an error", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn(BOTH);
  const { post } = await quarantinedMessages(companyId);
  await page.goto(`${LIST}/${post}`);
  await expect(page.getByText("The sender could not be verified")).toBeVisible();
  await deleteQuarantined(aContext(companyId), post, ["moderation"]);
  await page.getByRole("button", { name: "Approve" }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Approve 1 message" }).click();
  await expect(page.getByText("Message not found in quarantine")).toBeVisible();
});

test("the quarantine is accessible", async ({ page, signIn }) => {
  const { companyId } = await signIn(BOTH);
  await page.goto(LIST);
  await expect(page.getByRole("heading", { name: "No messages in quarantine" })).toBeVisible();
  await expectNoPageFaults(page);
  const { virus } = await quarantinedMessages(companyId);
  await page.goto(LIST);
  await page.getByRole("checkbox").first().check();
  await expectNoPageFaults(page);
  await page.goto(`${LIST}/${virus}`);
  await expect(page.getByText("invoice.pdf.exe (")).toBeVisible();
  await expectNoPageFaults(page);
  await page.getByRole("button", { name: "Release" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expectNoPageFaults(page);
});
