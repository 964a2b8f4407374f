import { expect, test } from "./fixtures.ts";
import { expectNoFaults } from "./looks.ts";
import { aHeldMailbox } from "./seed-held.ts";

const KEEPER = { privileges: ["reset_user_passwords" as const] };

test("what is held is looked at, and released once asked", async ({ page, signIn }) => {
  const { companyId } = await signIn(KEEPER);
  const { address } = await aHeldMailbox(companyId);
  await page.goto("/console/held");
  const held = page.getByRole("region", { name: address });
  await expect(held.getByText("7 messages to 84 recipients")).toBeVisible();
  await expect(held.getByText("198.51.100.0, 198.51.100.1")).toBeVisible();
  const newest = held.getByRole("listitem").first();
  await expect(newest).toContainText("Your account will be closed today");
  await expect(newest).toContainText("person140@example.net");
  await expect(newest).toContainText("and 9 others");

  await held.getByRole("button", { name: "Release the mail" }).click();
  const dialog = page.getByRole("dialog", { name: `Release the mail of ${address}` });
  await dialog.getByRole("button", { name: "Cancel" }).click();
  await expect(held).toBeVisible();
  await held.getByRole("button", { name: "Release the mail" }).click();
  await dialog.getByRole("button", { name: "Release the mail" }).click();
  await expect(page.getByRole("heading", { name: "Nothing is held" })).toBeVisible();
});

test("a mailbox is contained, and its temporary password shown until it is stored", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn(KEEPER);
  const { address } = await aHeldMailbox(companyId);
  await page.goto("/console/held");
  await page.getByRole("button", { name: "Contain the mailbox" }).click();
  const ask = page.getByRole("dialog", { name: `Contain ${address}` });
  await expect(ask.getByText("7 messages are thrown away for good")).toBeVisible();
  await ask.getByRole("button", { name: "Contain the mailbox" }).click();

  const secret = page.getByRole("dialog", { name: `The temporary password of ${address}` });
  await expect(secret).toBeVisible();
  await page.keyboard.press("Escape");
  // The list has been read anew: the mailbox is gone from it, and its password still there.
  await expect(page.getByText("Nothing is held")).toBeVisible();
  await secret.getByRole("button", { name: "Copy" }).click();
  expect(await page.evaluate(() => navigator.clipboard.readText())).toMatch(/^\S{20}$/);
  await secret.getByRole("button", { name: "I have stored it" }).click();
  await expect(secret).toBeHidden();
});

test("who comes second is told that it is done", async ({ page, signIn }) => {
  const { companyId } = await signIn(KEEPER);
  const { address } = await aHeldMailbox(companyId);
  await page.goto("/console/held");
  await page.getByRole("button", { name: "Release the mail" }).click();
  const other = await page.context().newPage();
  const path = `/console/api/held/${encodeURIComponent(address)}/release`;
  await other.goto("/console/held");
  await other.evaluate((path) => fetch(path, { method: "POST" }), path);
  await other.close();
  await page.getByRole("dialog").getByRole("button", { name: "Release the mail" }).click();
  await expect(page.getByText(`Mail of ${address} is not held any more`)).toBeVisible();
});

test("held mail can be read by everybody and fits, in every state", async ({ page, signIn }) => {
  const { companyId } = await signIn(KEEPER);
  await page.goto("/console/held");
  await expect(page.getByRole("heading", { name: "Nothing is held" })).toBeVisible();
  await expectNoFaults(page);
  await aHeldMailbox(companyId, "maximiliane.von-und-zu-hohenstein-langenburg");
  await page.reload();
  await expect(page.getByRole("button", { name: "Contain the mailbox" })).toBeVisible();
  await expectNoFaults(page);
  await page.getByRole("button", { name: "Contain the mailbox" }).click();
  await expect(page.getByRole("dialog")).toBeVisible();
  await expectNoFaults(page);
  await page.getByRole("dialog").getByRole("button", { name: "Contain the mailbox" }).click();
  await expect(page.getByText("Copy", { exact: true })).toBeVisible();
  await expectNoFaults(page);
});

test("without the privilege nothing is shown", async ({ page, signIn }) => {
  await signIn({ privileges: ["view_users"] });
  await page.goto("/console/held");
  await expect(page.getByRole("heading", { name: "You may not see the held mail" })).toBeVisible();
});
