import type { Locator, Page } from "@playwright/test";

import { type Privilege, UNIT_PRIVILEGES } from "#server/universal/privileges.ts";
import { aMailbox } from "#server/testing/factories.ts";

import { expect, test } from "./mail-server.ts";
import { manyGroups } from "./seed-groups.ts";
import { companyDomain, seedMailboxActivity, manyMailboxes, manyUnits } from "./seed-mailboxes.ts";
import { quarantinedMessages } from "./seed-quarantine.ts";

const LIST = "/console/mailboxes";
const GROUPS: Privilege[] = ["view_groups", "manage_groups"];
const ALL = { privileges: [...UNIT_PRIVILEGES, ...GROUPS] as Privilege[] };
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const dialog = (page: Page) => page.getByRole("dialog");
const selectAllBox = (page: Page) =>
  page.getByRole("checkbox", { name: "Select all on this page" });
const rowLink = (page: Page, at: number) => page.getByRole("row").nth(at).getByRole("link");

/** Waits until the list handles keys: `k` focuses the first row and stays there. */
const focusFirstRow = (page: Page) =>
  expect(async () => {
    await page.keyboard.press("k");
    await expect(rowLink(page, 1)).toBeFocused({ timeout: 500 });
  }).toPass();

const expectFocusInside = (part: Locator) => expect(part.locator(":focus")).toHaveCount(1);

test("bulk actions work with the keyboard and keep the focus on the page", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn(ALL);
  const domain = await companyDomain(companyId);
  for (const name of ["a", "b", "c"]) await aMailbox(domain, { address: `${name}@${domain.name}` });
  await page.goto(LIST);
  await expect(page.getByRole("row")).toHaveCount(4);
  await focusFirstRow(page);
  await page.keyboard.press("x");
  await expect(page.getByLabel(`Select a@${domain.name}`)).toBeChecked();
  await page.keyboard.press("j");
  await page.keyboard.press("x");
  await expect(page.getByText("2 mailboxes selected")).toBeVisible();
  await expect(selectAllBox(page)).toHaveJSProperty("indeterminate", true);
  // Shortcuts work while a checkbox has the focus.
  await page.getByLabel(`Select c@${domain.name}`).focus();
  await page.keyboard.press("k");
  await expect(rowLink(page, 2)).toBeFocused();
  await page.keyboard.press("/");
  await expect(page.getByLabel("Search mailboxes")).toBeFocused();

  await button(page, "Suspend").press("Enter");
  await expect(dialog(page)).toBeVisible();
  await page.keyboard.press("Escape");
  await expect(button(page, "Suspend")).toBeFocused();
  await page.keyboard.press("Enter");
  await button(page, "Suspend 2 mailboxes").press("Enter");
  await button(page, "Close").press("Enter");
  await expect(selectAllBox(page)).toBeFocused();
  await expect(page.getByRole("row", { name: /Suspended/ })).toHaveCount(2);
  await page.keyboard.press("Space");
  await expect(page.getByText("3 mailboxes selected")).toBeVisible();
  await button(page, "Clear selection").press("Enter");
  await expect(selectAllBox(page)).toBeFocused();
});

test("removing an item moves the focus to its section", async ({ page, signIn }) => {
  const { companyId, domain } = await signIn(ALL);
  const { ann } = await manyMailboxes(companyId, 0);
  await seedMailboxActivity(companyId, ann);
  const at = `${LIST}/${encodeURIComponent(ann)}`;
  await page.goto(at);
  await button(page, `Remove hello@${domain}`).press("Enter");
  await dialog(page).getByRole("button", { name: "Remove alias" }).press("Enter");
  await expectFocusInside(page.getByRole("region", { name: "Aliases" }));
  await page.goto(`${at}?tab=access`);
  await button(page, "Revoke Phone").press("Enter");
  await dialog(page).getByRole("button", { name: "Revoke app password" }).press("Enter");
  await expectFocusInside(page.getByRole("region", { name: "App passwords" }));
  await button(page, "Reset password").press("Enter");
  await dialog(page).getByRole("button", { name: "Reset password" }).press("Enter");
  await dialog(page).getByRole("button", { name: "I’ve saved it" }).press("Enter");
  await expect(button(page, "Reset password")).toBeFocused();
});

test("saving keeps the focus on the button", async ({ page, signIn }) => {
  const { companyId } = await signIn(ALL);
  const { support } = await manyGroups(companyId);
  await page.goto(`/console/groups/${encodeURIComponent(support)}?tab=access`);
  for (const name of ["Save name", "Save access settings"]) {
    await button(page, name).press("Enter");
    await expect(page.getByText("Saved")).toHaveCount(name === "Save name" ? 1 : 2);
    await expect(button(page, name)).toBeFocused();
  }
});

test("the focus stays on the page when the last quarantined message is deleted", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn({ privileges: ["update_users", "manage_groups"] });
  await quarantinedMessages(companyId);
  await page.goto("/console/quarantine");
  await expect(page.getByRole("row")).toHaveCount(4);
  await page.getByRole("checkbox", { name: /Overdue invoice/ }).press("Space");
  await button(page, "Delete").press("Enter");
  await dialog(page).getByRole("button", { name: "Delete 1 message" }).press("Enter");
  await expect(page.getByText("1 message deleted.")).toBeVisible();
  await expect(selectAllBox(page)).toBeFocused();
  await page.keyboard.press("Space");
  await button(page, "Delete").press("Enter");
  await dialog(page).getByRole("button", { name: "Delete 2 messages" }).press("Enter");
  await expect(page.getByRole("heading", { name: "No messages in quarantine" })).toBeVisible();
  await expectFocusInside(page.getByRole("main"));
});

test("choosing a second filter immediately keeps the first", async ({ page, signIn }) => {
  const { companyId } = await signIn(ALL);
  const { second } = await manyMailboxes(companyId, 0);
  await page.goto(`${LIST}?search=a`);
  await expect(page.getByLabel("Domain")).toBeVisible();
  // Before the page has applied the first one.
  await page.evaluate((name) => {
    for (const [label, value] of Object.entries({ Domain: name, Status: "active" })) {
      const select = document.querySelector<HTMLSelectElement>(`select[aria-label=${label}]`)!;
      select.value = value;
      select.dispatchEvent(new Event("change", { bubbles: true }));
    }
  }, second.name);
  await expect(page).toHaveURL(
    (url) =>
      url.searchParams.get("domain") === second.name &&
      url.searchParams.get("status") === "active" &&
      url.searchParams.get("search") === "a",
  );
});

test("deleting a unit keeps the focus on the page", async ({ page, signIn }) => {
  const { companyId } = await signIn({
    privileges: [...UNIT_PRIVILEGES, "manage_settings"] as Privilege[],
  });
  await manyUnits(companyId);
  await page.goto("/console/units");
  const legal = page.getByRole("treeitem", { name: /^Legal/ });
  await legal.click();
  await button(page, "Delete unit").press("Enter");
  await dialog(page).getByRole("button", { name: "Delete unit" }).press("Enter");
  await expect(legal).toHaveCount(0);
  await expectFocusInside(page.getByRole("main"));
});

test("a file dropped on the list is read instead of opened", async ({ page, signIn }) => {
  const { domain } = await signIn(ALL);
  await page.goto(`${LIST}/import`);
  const lines = page.getByLabel("CSV or JSON data");
  await lines.evaluate((field, text) => {
    const dataTransfer = new DataTransfer();
    dataTransfer.items.add(new File([text], "people.csv", { type: "text/csv" }));
    field.dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
  }, `First name,Last name,Email\nAnn,Lee,ann@${domain}`);
  await expect(page.getByText("1 mailbox will be created.")).toBeVisible();
  await page.getByRole("button", { name: /^All lines/ }).click();
  await expect(page.getByRole("listitem").filter({ hasText: "Ann Lee" })).toBeVisible();
});
