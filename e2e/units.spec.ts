import type { Page } from "@playwright/test";

import { UNIT_PRIVILEGES } from "#server/core/access/rights/rights.ts";
import type { Privilege } from "#server/core/access/rights/privileges.ts";
import { aSessionOfRole } from "#server/testing/console-mailboxes.ts";

import { expectNoFaults } from "./looks.ts";
import { expect, test } from "./mail-server.ts";
import { become } from "./person.ts";
import { manyUnits } from "./seed-mailboxes.ts";

const ALL = { privileges: [...UNIT_PRIVILEGES, "manage_settings"] as Privilege[] };
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const dialog = (page: Page) => page.getByRole("dialog");
const item = (page: Page, name: string) =>
  page.getByRole("treeitem", { name: new RegExp(`^${name}`) });
const policy = (page: Page, name: string) =>
  page.getByRole("region", { name: "Policies" }).getByRole("listitem").filter({ hasText: name });

test("the tree is walked by keyboard, and the address keeps which unit is open", async ({
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
  await page.getByLabel("Find a unit").fill("night");
  await expect(page.getByRole("treeitem")).toHaveCount(5);
  await page.getByLabel("Find a unit").fill("");
  await page.getByRole("link", { name: /^[45] mailboxes$/ }).click();
  await expect(page).toHaveURL(new RegExp(`mailboxes\\?unit=${sales}`));
});

test("a unit is made, renamed, moved and deleted", async ({ page, signIn }) => {
  const { companyId } = await signIn(ALL);
  const { berlin } = await manyUnits(companyId);
  await page.goto(`/console/units?unit=${berlin}`);
  await button(page, "Create unit").click();
  await page.getByLabel("Name", { exact: true }).fill("service desk");
  await page.keyboard.press("Enter");
  await expect(dialog(page)).toContainText("There is a unit named service desk here already");
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
  await page.getByLabel("Below").selectOption({ label: "\u2003Finance" });
  await button(page, "Move unit").click();
  await expect(page.getByText("Northwind Trading / Finance")).toBeVisible();
  await button(page, "Delete unit").click();
  await dialog(page).getByRole("button", { name: "Delete unit" }).click();
  await expect(page.getByRole("heading", { name: "Finance" })).toBeVisible();
  await expect(item(page, "Canteen")).toHaveCount(0);
  await item(page, "Berlin").click();
  await expect(page.getByText("Move or delete the units below it first.")).toBeVisible();
  await expect(button(page, "Delete unit")).toHaveCount(0);
});

test("policies are taken over, set, taken back and reset, and say for how many they are", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn(ALL);
  const { berlin, desk } = await manyUnits(companyId);
  await page.goto(`/console/units?unit=${berlin}`);
  await expect(policy(page, "Reading with POP3")).toContainText("Set here · for 3 mailboxes");
  await policy(page, "Reading with POP3").getByRole("combobox").selectOption("");
  await expect(policy(page, "Reading with POP3")).toContainText("From Northwind Trading");
  await button(page, "Undo").click();
  await expect(policy(page, "Reading with POP3")).toContainText("Set here");
  const length = policy(page, "Shortest password");
  await expect(length).toContainText("From Northwind Trading");
  await length.getByRole("textbox").fill("4");
  await length.getByRole("button", { name: "Save" }).click();
  await expect(length).toContainText("It must be a whole number from 8 to 64");
  await length.getByRole("textbox").fill("18");
  await page.keyboard.press("Enter");
  await expect(length).toContainText("Set here");
  await page.goto(`/console/units?unit=${desk}`);
  await expect(policy(page, "Shortest password")).toContainText("From Berlin");
  await page.goto(`/console/units?unit=${berlin}`);
  await button(page, "Take over from above (14 characters)").click();
  await expect(length).toContainText("From Northwind Trading");
});

test("who manages one unit reads its branch, and who has no right is told so", async ({
  page,
  signIn,
  appliance,
}) => {
  const { companyId } = await signIn({ privileges: ["api_controls"] });
  const { sales, root } = await manyUnits(companyId);
  await page.goto("/console/units");
  await expect(page.getByText("You may not see the units")).toBeVisible();
  await become(page, appliance.url, await aSessionOfRole(companyId, sales));
  await page.goto(`/console/units?unit=${root}`);
  await expect(page.getByText("you may not see it")).toBeVisible();
  await expect(page.getByRole("heading", { name: "Sales" })).toBeVisible();
  await expect(policy(page, "Reading with POP3")).toContainText("From a unit above");
  for (const name of ["Create unit", "Rename", "Move", "Save"])
    await expect(button(page, name)).toHaveCount(0);
});

test("units can be used by everybody, and fit", async ({ page, signIn }) => {
  const { companyId } = await signIn(ALL);
  const { berlin } = await manyUnits(companyId);
  await page.goto(`/console/units?unit=${berlin}`);
  await expect(policy(page, "App passwords")).toBeVisible();
  await expectNoFaults(page);
  await button(page, "Move").click();
  await expect(dialog(page)).toBeVisible();
  await expectNoFaults(page);
});
