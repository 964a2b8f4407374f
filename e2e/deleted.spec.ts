import { deletedItems, mailboxes } from "#drizzle/schema/index.ts";
import { deleteDomain } from "#server/core/domains/domains/deleted-domains.ts";
import { db } from "#server/db/pool.ts";
import { aContext, aDomain, aGroup, aMailbox, anAlias } from "#server/testing/factories.ts";

import { expect, test } from "./mail-server.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { aCountedMailbox } from "./seed-mailboxes.ts";

const LIST = "/console/deleted";

const isStored = async (address: string) =>
  (await db().select().from(mailboxes)).some((one) => one.address === address);
const countDeleted = async (companyId: string) =>
  (await db().select().from(deletedItems)).filter((one) => one.companyId === companyId).length;

test("an owner deletes a mailbox, restores it with Undo, deletes it again and restores it from the page", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ isOwner: true });
  const ann = await aCountedMailbox(await aDomain(companyId), {
    messages: 3,
    usedMb: 4.8,
  });
  const remove = async () => {
    await page.goto(`/console/mailboxes/${encodeURIComponent(ann)}?tab=settings`);
    await page.getByRole("button", { name: "Delete mailbox" }).click();
    const dialog = page.getByRole("dialog");
    await expect(dialog).toContainText("You can restore it for 20 days, until");
    await dialog.getByLabel(`Type ${ann} to confirm`).fill(ann);
    await page.keyboard.press("Enter");
    await expect(page).toHaveURL(/\/console\/mailboxes$/);
  };
  await remove();
  await expect(page.getByText(`${ann} deleted`)).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("row", { name: new RegExp(ann) })).toBeVisible();
  expect(await isStored(ann)).toBe(true);

  await remove();
  await page.goto(`/console/mailboxes/${encodeURIComponent(ann)}`);
  await page.getByRole("main").getByRole("link", { name: "Deleted", exact: true }).click();
  const row = page.getByRole("row", { name: new RegExp(ann) });
  await expect(row).toContainText("4.8 MB");
  await expect(page.getByText("Deleted mailboxes use 4.8 MB of storage")).toBeVisible();
  await expectNoPageFaults(page);
  await page.getByRole("button", { name: `Restore ${ann}` }).click();
  await expect(page.getByText(`${ann} restored`)).toBeVisible();
  await expect(page.getByRole("heading", { name: "Nothing to restore" })).toBeVisible();
  expect(await isStored(ann)).toBe(true);
  await expectNoPageFaults(page);
});

test("an owner deletes a mailbox, delivers its mail to another one, and restores it", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ isOwner: true });
  const domain = await aDomain(companyId);
  const { address: ann } = await aMailbox(domain, { address: `ann@${domain.name}` });
  const { address: ben } = await aMailbox(domain, { address: `ben@${domain.name}` });
  await page.goto(`/console/mailboxes/${encodeURIComponent(ann)}?tab=settings`);
  await page.getByRole("button", { name: "Delete mailbox" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("combobox").fill(ann);
  await dialog.getByLabel(`Type ${ann} to confirm`).fill(ann);
  await page.keyboard.press("Enter");
  await expect(dialog).toContainText("Mail can only be delivered to another mailbox");
  await dialog.getByRole("combobox").fill("ben");
  await page.getByRole("option", { name: ben }).click();
  await expect(dialog).toContainText(`goes to ${ben}`);
  await dialog.getByLabel(`Type ${ann} to confirm`).fill(ann);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/console\/mailboxes$/);

  await page.goto(`/console/mailboxes/route?address=${encodeURIComponent(ann)}`);
  await expect(page.getByText(ben).first()).toBeVisible();
  await page.goto(LIST);
  await expect(page.getByRole("row", { name: new RegExp(ann) })).toContainText(
    `mail goes to ${ben}`,
  );
  await expectNoPageFaults(page);
  await page.getByRole("button", { name: `Restore ${ann}` }).click();
  await expect(page.getByText(`Its mail no longer goes to ${ben}`)).toBeVisible();
  expect(await isStored(ann)).toBe(true);
});

test("an owner deletes an item permanently, and errors of a restoration are shown", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ isOwner: true });
  const ctx = aContext(companyId);
  const domain = await aDomain(companyId);
  await aGroup(domain, { name: "Team" });
  await deleteDomain(ctx, domain.id, { via: "console" });
  await db()
    .insert(deletedItems)
    .values({
      companyId,
      kind: "group",
      name: `team@${domain.name}`,
      domainId: domain.id,
      isReserved: true,
      contents: {},
      deletedBy: "ben@example.com",
      title: "Team",
    });
  await page.goto(LIST);
  await page.getByRole("button", { name: `Restore team@${domain.name}` }).click();
  await expect(page.getByText(`The domain ${domain.name} is deleted`)).toBeVisible();

  await page.getByRole("button", { name: `Actions for ${domain.name}`, exact: true }).click();
  await page.getByRole("menuitem", { name: "Delete permanently now" }).click();
  const dialog = page.getByRole("dialog");
  await expect(dialog).toContainText("so is everything else on this page that belongs to it");
  await dialog.getByRole("button", { name: "Delete permanently" }).click();
  await expect(page.getByRole("heading", { name: "Nothing to restore" })).toBeVisible();
  expect(await countDeleted(companyId)).toBe(0);
});

test("a removed alias is added again with Undo", async ({ page, signIn }) => {
  const { companyId } = await signIn({ privileges: ["view_users", "update_users"] });
  const domain = await aDomain(companyId);
  const { address: ann } = await aMailbox(domain);
  const alias = await anAlias(domain, ann);
  await page.goto(`/console/mailboxes/${encodeURIComponent(ann)}`);
  await page.getByRole("button", { name: `Remove ${alias}` }).click();
  await page.getByRole("dialog").getByRole("button", { name: "Remove alias" }).click();
  await expect(page.getByText("No aliases.")).toBeVisible();
  await page.getByRole("button", { name: "Undo" }).click();
  await expect(page.getByRole("button", { name: `Remove ${alias}` })).toBeVisible();
  expect(await countDeleted(companyId)).toBe(0);
});

test("admins who aren't owners have no access", async ({ page, signIn }) => {
  await signIn({ privileges: ["view_users", "update_users"] });
  await page.goto(LIST);
  await expect(page.getByText("You don’t have access to the deleted items")).toBeVisible();
  await expect(page.getByRole("link", { name: "Deleted", exact: true })).toHaveCount(0);
});
