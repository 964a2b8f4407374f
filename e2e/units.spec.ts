import type { Page } from "@playwright/test";

import { type Privilege, UNIT_PRIVILEGES } from "#server/universal/privileges.ts";
import { aSessionOfRole } from "#server/testing/console-mailboxes.ts";

import { expectNoPageFaults } from "./page-faults.ts";
import { expect, test } from "./mail-server.ts";
import { signInWithCookie } from "./session.ts";
import { manyUnits } from "./seed-mailboxes.ts";

const ALL = { privileges: [...UNIT_PRIVILEGES, "manage_settings"] as Privilege[] };
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const dialog = (page: Page) => page.getByRole("dialog");
const item = (page: Page, name: string) =>
  page.getByRole("treeitem", { name: new RegExp(`^${name}`) });
const policy = (page: Page, name: string) =>
  page.getByRole("region", { name: "Policies" }).getByRole("listitem").filter({ hasText: name });

test("the tree works with the keyboard, and the URL keeps the selected unit", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn(ALL);
  const { sales, berlin } = await manyUnits(companyId);
  await page.goto("/console/units");
  await expect(item(page, "Northwind Trading")).toHaveAttribute("aria-expanded", "true");
  await item(page, "Northwind Trading").focus();
  await page.keyboard.press("End");
  await expect(item(page, "Warehouse")).toBeFocused();
  await page.keyboard.press("ArrowUp");
  await expect(item(page, "Sales")).toBeFocused();
  await page.keyboard.press("ArrowRight");
  await page.keyboard.press("ArrowRight");
  await expect(item(page, "Berlin")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`unit=${berlin}$`));
  await expect(page.getByRole("heading", { name: "Berlin" })).toBeVisible();
  await page.keyboard.press("ArrowLeft");
  await page.keyboard.press("ArrowLeft");
  await expect(item(page, "Sales")).toHaveAttribute("aria-expanded", "false");
  await page.goto(`/console/units?unit=${sales}`);
  await expect(item(page, "Sales")).toHaveAttribute("aria-selected", "true");
  await page.getByLabel("Search units").fill("night");
  await expect(page.getByRole("treeitem")).toHaveCount(5);
  await page.getByLabel("Search units").fill("");
  await page.getByRole("link", { name: /^[45] mailboxes$/ }).click();
  await expect(page).toHaveURL(new RegExp(`mailboxes\\?unit=${sales}`));
});

test("a unit is created, renamed, moved, and deleted", async ({ page, signIn }) => {
  const { companyId } = await signIn(ALL);
  const { berlin } = await manyUnits(companyId);
  await page.goto(`/console/units?unit=${berlin}`);
  await button(page, "Create unit").click();
  await page.getByLabel("Name", { exact: true }).fill("service desk");
  await page.keyboard.press("Enter");
  await expect(dialog(page)).toContainText("A unit named service desk already exists in this unit");
  await page.getByLabel("Name", { exact: true }).fill("Kitchen");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "Kitchen" })).toBeVisible();
  await expect(item(page, "Kitchen")).toBeVisible();
  await button(page, "Rename").click();
  await page.getByLabel("Name", { exact: true }).fill("Canteen");
  await button(page, "Rename unit").click();
  await expect(page.getByRole("heading", { name: "Canteen", exact: true })).toBeVisible();
  await button(page, "Move").click();
  await expect(dialog(page).locator("option", { hasText: "Canteen" })).toHaveCount(0);
  await page.getByLabel("Parent unit").selectOption({ label: "\u2003Finance" });
  await button(page, "Move unit").click();
  await expect(page.getByText("Northwind Trading / Finance")).toBeVisible();
  await button(page, "Delete unit").click();
  await dialog(page).getByRole("button", { name: "Delete unit" }).click();
  await expect(page.getByRole("heading", { name: "Finance" })).toBeVisible();
  await expect(item(page, "Canteen")).toHaveCount(0);
  await item(page, "Berlin").click();
  await expect(page.getByText("Move or delete its subunits first.")).toBeVisible();
  await expect(button(page, "Delete unit")).toHaveCount(0);
});

test("policies are changed together, after showing how many mailboxes they affect", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn(ALL);
  const { berlin, desk } = await manyUnits(companyId);
  await page.goto(`/console/units?unit=${berlin}`);
  await expect(policy(page, "POP3 access")).toContainText("Set here · for 3 mailboxes");
  const pop3 = policy(page, "POP3 access").getByRole("combobox");
  const bar = page.getByRole("group", { name: "Unsaved changes" });
  await expect(bar).toHaveCount(0);
  await policy(page, "IMAP access").getByRole("combobox").selectOption("false");
  await expect(bar).toContainText(/Block IMAP for 3 mailboxes, \w+ used it this week/);
  await pop3.selectOption("");
  await bar.getByRole("button", { name: "Discard" }).click();
  await expect(policy(page, "IMAP access").getByRole("combobox")).toHaveValue("");

  await pop3.selectOption("");
  const length = policy(page, "Minimum password length");
  await expect(length).toContainText("Inherited from Northwind Trading");
  await length.getByRole("textbox").fill("4");
  await expectNoPageFaults(page);
  await bar.getByRole("button", { name: "Review" }).click();
  await expect(dialog(page).getByRole("listitem")).toHaveCount(2);
  await button(page, "Save changes").click();
  await expect(length).toContainText("Minimum password length must be a whole number from 8 to 64");
  await expect(length.getByRole("textbox")).toBeFocused();
  await expect(policy(page, "POP3 access")).toContainText("Set here");
  await length.getByRole("textbox").fill("18");
  await page.keyboard.press("Enter");
  await expect(length).toContainText("Set here");
  await expect(policy(page, "POP3 access")).toContainText("Inherited from Northwind Trading");
  await expect(bar).toHaveCount(0);
  await page.goto(`/console/units?unit=${desk}`);
  await expect(policy(page, "Minimum password length")).toContainText("Inherited from Berlin");
  await page.goto(`/console/units?unit=${berlin}`);
  await length.getByRole("textbox").fill("");
  await expect(bar).toContainText("Require passwords of 14 characters for 3 mailboxes");
  await bar.getByRole("button", { name: "Save" }).click();
  await expect(length).toContainText("Inherited from Northwind Trading");
});

test("an admin limited to a unit sees its subtree, and one without the privilege sees an error", async ({
  page,
  signIn,
  appliance,
}) => {
  const { companyId } = await signIn({ privileges: ["api_controls"] });
  const { sales, root } = await manyUnits(companyId);
  await page.goto("/console/units");
  await expect(page.getByText("You don’t have access to units")).toBeVisible();
  await signInWithCookie(page, appliance.url, await aSessionOfRole(companyId, sales));
  await page.goto(`/console/units?unit=${root}`);
  await expect(page.getByText("you don’t have access to it")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Sales" })).toBeVisible();
  await expect(policy(page, "POP3 access")).toContainText("Inherited from a unit above");
  for (const name of ["Create unit", "Rename", "Move", "Save"])
    await expect(button(page, name)).toHaveCount(0);
});

test("units are accessible and fit the screen", async ({ page, signIn }) => {
  const { companyId } = await signIn(ALL);
  const { berlin } = await manyUnits(companyId);
  await page.goto(`/console/units?unit=${berlin}`);
  await expect(policy(page, "App passwords")).toBeVisible();
  await expectNoPageFaults(page);
  await button(page, "Move").click();
  await expect(dialog(page)).toBeVisible();
  await expectNoPageFaults(page);
});
