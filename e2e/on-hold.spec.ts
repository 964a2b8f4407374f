import { expect, test } from "./fixtures.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { aMailboxOnHold } from "./seed-on-hold.ts";

const ADMIN = { privileges: ["reset_user_passwords" as const] };

test("mail on hold is released after confirmation", async ({ page, signIn }) => {
  const { companyId } = await signIn(ADMIN);
  const { address } = await aMailboxOnHold(companyId);
  await page.goto("/console/on-hold");
  const held = page.getByRole("region", { name: address });
  await expect(held.getByText("7 messages to 84 recipients")).toBeVisible();
  await expect(held.getByText("198.51.100.0, 198.51.100.1")).toBeVisible();
  const newest = held.getByRole("listitem").first();
  await expect(newest).toContainText("Your account will be closed today");
  await expect(newest).toContainText("person140@example.net");
  await expect(newest).toContainText("and 9 others");

  await held.getByRole("button", { name: "Release messages" }).click();
  const dialog = page.getByRole("dialog", { name: `Release messages from ${address}?` });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(held).toBeVisible();
  await held.getByRole("button", { name: "Release messages" }).click();
  await dialog.getByRole("button", { name: "Release messages" }).click();
  await expect(page.getByRole("heading", { name: "No mail on hold" })).toBeVisible();
});

test("the temporary password of a mailbox on hold stays visible until it is saved", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn(ADMIN);
  const { address } = await aMailboxOnHold(companyId);
  await page.goto("/console/on-hold");
  await page.getByRole("button", { name: "Secure mailbox" }).click();
  const dialog = page.getByRole("dialog", { name: `Secure ${address}?` });
  await expect(dialog.getByText("This permanently deletes 7 messages on hold")).toBeVisible();
  await dialog.getByRole("button", { name: "Secure mailbox" }).click();

  const secret = page.getByRole("dialog", { name: `Temporary password for ${address}` });
  await expect(secret).toBeVisible();
  await page.keyboard.press("Escape");
  // The refreshed list no longer has the mailbox, but its password is still shown.
  await expect(page.getByText("No mail on hold")).toBeVisible();
  await secret.getByRole("button", { name: "Copy" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^\S{20}$/);
  await secret.getByRole("button", { name: "I’ve saved it" }).click();
  await expect(secret).toBeHidden();
});

test("releasing again after another admin did shows an error", async ({ page, signIn }) => {
  const { companyId } = await signIn(ADMIN);
  const { address } = await aMailboxOnHold(companyId);
  await page.goto("/console/on-hold");
  await page.getByRole("button", { name: "Release messages" }).click();
  const other = await page.context().newPage();
  const path = `/console/api/onHold/release?mailbox=${encodeURIComponent(address)}`;
  await other.goto("/console/on-hold");
  await other.evaluate((path) => fetch(path, { method: "POST" }), path);
  await other.close();
  await page.getByRole("dialog").getByRole("button", { name: "Release messages" }).click();
  await expect(page.getByText(`${address} is no longer on hold`)).toBeVisible();
});

test("the page is accessible and fits the screen in every state", async ({ page, signIn }) => {
  const { companyId } = await signIn(ADMIN);
  await page.goto("/console/on-hold");
  await expect(page.getByRole("heading", { name: "No mail on hold" })).toBeVisible();
  await expectNoPageFaults(page);
  await aMailboxOnHold(companyId, "maximiliane.von-und-zu-hohenstein-langenburg");
  await page.reload();
  await expect(page.getByRole("button", { name: "Secure mailbox" })).toBeVisible();
  await expectNoPageFaults(page);
  await page.getByRole("button", { name: "Secure mailbox" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expectNoPageFaults(page);
  await page.getByRole("dialog").getByRole("button", { name: "Secure mailbox" }).click();
  await expect(page.getByText("Copy", { exact: true })).toBeVisible();
  await expectNoPageFaults(page);
});

test("without the privilege the page shows no mail", async ({ page, signIn }) => {
  await signIn({ privileges: ["view_users"] });
  await page.goto("/console/on-hold");
  await expect(
    page.getByRole("heading", { name: "You don’t have access to mail on hold" }),
  ).toBeVisible();
});
