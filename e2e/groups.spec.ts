import type { Page } from "@playwright/test";

import { createUnit } from "#server/core/mailboxes/org-units/units.ts";
import type { Privilege } from "#server/universal/privileges.ts";
import { aContext, aMailbox } from "#server/testing/factories.ts";

import { expectNoPageFaults } from "./page-faults.ts";
import { expect, test } from "./mail-server.ts";
import { manyGroups } from "./seed-groups.ts";
import { companyDomain } from "./seed-mailboxes.ts";

const LIST = "/console/groups";
const PRIVILEGES: Privilege[] = ["view_groups", "manage_groups"];
const BOTH = { privileges: PRIVILEGES };
const pageOf = (address: string) => `${LIST}/${encodeURIComponent(address)}`;
const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true });
const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
/** A field for several addresses. */
const picker = (page: Page, name: string) => page.getByRole("combobox", { name, exact: true });
async function pick(page: Page, name: string, addresses: string) {
  await picker(page, name).fill(addresses);
  await picker(page, name).press("Enter");
}
const dialog = (page: Page) => page.getByRole("dialog");

test("a group is created with pasted members, and an invalid address is quoted in the error", async ({
  page,
  signIn,
}) => {
  const { domain } = await signIn(BOTH);
  await page.goto("/console");
  await page.getByRole("link", { name: "Groups" }).click();
  await expect(page.getByRole("heading", { name: "No groups yet" })).toBeVisible();
  await page.getByRole("link", { name: "Create group" }).click();
  await field(page, "Address").fill("support@elsewhere.example");
  await field(page, "Name").fill("Support");
  await pick(page, "Members", "Ann Lee <Ann@x.example>, bob@x.example; lou, ann@x.example");
  await expect(page.getByText("lou isn’t a valid address.")).toBeVisible();
  await button(page, "Create group").click();
  await expect(page.getByText("“lou” must be a valid email address")).toBeVisible();
  await button(page, "Remove lou").click();
  await expect(page.getByText("isn’t a valid address")).toHaveCount(0);
  await button(page, "Create group").click();
  await expect(page.getByText(/^Address /)).toBeVisible();
  await field(page, "Address").fill(`Support@${domain}`);
  await button(page, "Create group").click();
  await expect(page).toHaveURL(new RegExp(`${pageOf(`support@${domain}`)}$`));
  await expect(page.getByRole("heading", { name: "2 members" })).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "@x.example" })).toHaveCount(2);

  await page.goto(`${LIST}/new`);
  await field(page, "Address").fill("support");
  await button(page, "Create group").click();
  await expect(page.getByText(/is already a group/)).toBeVisible();
  await page.getByRole("link", { name: "Cancel" }).click();
  await expect(page.getByRole("row", { name: /support@.*Support.*2 members/ })).toBeVisible();
});

test("Enter takes the suggestion, and who can post is chosen at creation", async ({
  page,
  signIn,
}) => {
  const { companyId, domain } = await signIn({ privileges: [...PRIVILEGES, "view_users"] });
  const ann = `ann.lee@${domain}`;
  await aMailbox(await companyDomain(companyId), { address: ann, name: "Ann Lee" });
  await page.goto(`${LIST}/new`);
  await field(page, "Address").fill("sales");
  await picker(page, "Members").fill("ann");
  await expect(page.getByRole("option", { name: ann })).toHaveAttribute("aria-selected", "true");
  await picker(page, "Members").press("Enter");
  await expect(button(page, `Remove ${ann}`)).toBeVisible();
  await pick(page, "Members", "carla@agency.example");
  await page.getByLabel("Who can post").selectOption("Members only");
  await button(page, "Create group").click();
  const member = (address: string) => page.getByRole("listitem").filter({ hasText: address });
  await expect(member(ann)).toContainText("Ann Lee");
  await expect(member("carla@agency.example")).toContainText("External");
  await page.getByRole("tab", { name: "Access and settings" }).click();
  await expect(page.getByLabel("Who can post")).toHaveValue("members");
});

test("a member is removed and restored, and others are added", async ({ page, signIn }) => {
  const { companyId } = await signIn(BOTH);
  const { support } = await manyGroups(companyId);
  await page.goto(pageOf(support));
  const members = page.getByRole("main").getByRole("listitem").filter({ hasText: "Remove" });
  await expect(members).toHaveCount(3);
  await button(page, "Remove carla@agency.example").press("Enter");
  await expect(page.getByText("carla@agency.example was removed from the group")).toBeVisible();
  await expect(page.getByRole("heading", { name: "2 members" })).toBeVisible();
  await expect(button(page, "Undo removing carla@agency.example")).toBeFocused();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { name: "3 members" })).toBeVisible();
  await expect(page.getByText("was removed from the group")).toHaveCount(0);

  const more = picker(page, "Add members");
  await button(page, "Add members").click();
  await expect(page.getByText("Enter at least one address")).toBeVisible();
  await pick(page, "Add members", "eve@ dan@x.example");
  await button(page, "Add members").click();
  await expect(page.getByText("“eve@” must be a valid email address")).toBeVisible();
  await button(page, "Remove eve@").click();
  // Text that wasn't confirmed with Enter is added too.
  await more.fill("carla@agency.example");
  await button(page, "Add members").click();
  await expect(page.getByRole("heading", { name: "4 members" })).toBeVisible();

  // The second while the first is still being sent.
  let release = () => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route("**/console/api/groups/changeMembers?*", async (route) => {
    await released;
    await route.continue();
  });
  await button(page, "Remove dan@x.example").click();
  await button(page, "Remove carla@agency.example").click();
  release();
  await expect(page.getByRole("heading", { name: "2 members" })).toBeVisible();
});

test("access settings suggest addresses, flag unknown ones, and are shown as stored", async ({
  page,
  signIn,
}) => {
  const { companyId, domain } = await signIn({ privileges: [...PRIVILEGES, "view_users"] });
  await aMailbox(await companyDomain(companyId), { address: `mo@${domain}` });
  const { support } = await manyGroups(companyId);
  await page.goto(pageOf(support));
  await page.getByRole("tab", { name: "Access and settings" }).click();
  await expect(page).toHaveURL(/\?tab=access$/);
  const save = button(page, "Save access settings");
  await page.getByLabel("Who can post").selectOption("Listed addresses only");
  await save.click();
  await expect(page.getByText(/must not be empty/)).toBeVisible();
  const typo = `mi@${domain}`;
  await pick(page, "Addresses and domains", `@Partner.example, Lou@Press.example, lou, ${typo}`);
  await expect(page.getByText(`${typo} isn’t an address of your company.`)).toBeVisible();
  await page.getByLabel("Message moderation").selectOption("All messages");
  await pick(page, "Moderators", "nobody@elsewhere.example");
  await save.click();
  await expect(page.getByText("“lou” must be a valid email address")).toBeVisible();
  await expect(button(page, "Remove nobody@elsewhere.example")).toBeVisible();
  await button(page, "Remove lou").click();
  await button(page, `Remove ${typo}`).click();
  await save.click();
  await expect(
    page.getByText(/nobody@elsewhere.example is not a mailbox of the company/),
  ).toBeVisible();
  await button(page, "Remove nobody@elsewhere.example").click();
  await picker(page, "Moderators").fill("MO@");
  await page.getByRole("option", { name: `mo@${domain}` }).click();
  await page.getByLabel("Replies go to").selectOption("The sender");
  await page.getByRole("switch", { name: "Accept mail" }).press("Space");
  await save.click();
  await expect(page.getByText("Saved")).toBeVisible();
  await expect(button(page, "Remove lou@press.example")).toBeVisible();
  await expect(page.getByText("Inactive", { exact: true })).toBeVisible();
  await page.reload();
  await expect(page.getByLabel("Message moderation")).toHaveValue("all");
  await expect(button(page, "Remove @partner.example")).toBeVisible();
  await expect(button(page, `Remove mo@${domain}`)).toBeVisible();
  await expect(page.getByRole("switch", { name: "Accept mail" })).not.toBeChecked();

  await field(page, "Name").fill(" Helpdesk ");
  await button(page, "Save name").click();
  await expect(field(page, "Name")).toHaveValue("Helpdesk");
  await page.getByRole("link", { name: "Groups" }).first().click();
  await expect(page.getByRole("row", { name: /support@.*Helpdesk/ })).toContainText("Inactive");
});

test("an owner deletes a group by typing its address", async ({ page, signIn }) => {
  const { companyId } = await signIn({ isOwner: true });
  const { support } = await manyGroups(companyId);
  await page.goto(`${pageOf(support)}?tab=access`);
  await button(page, "Delete group").click();
  await expect(dialog(page).getByRole("textbox")).toBeFocused();
  await page.keyboard.type("another");
  await page.keyboard.press("Enter");
  await expect(dialog(page)).toContainText(`Doesn’t match ${support}`);
  await dialog(page).getByRole("textbox").fill(support.toUpperCase());
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`${LIST}$`));
  await expect(page.getByRole("row")).toHaveCount(6);
});

test("with only the view privilege, settings are read-only", async ({ page, signIn }) => {
  const { companyId } = await signIn({ privileges: ["view_groups"] });
  const { listed } = await manyGroups(companyId);
  await page.goto(LIST);
  await expect(page.getByRole("row")).toHaveCount(7);
  await expect(page.getByRole("link", { name: "Create group" })).toHaveCount(0);
  await page.goto(pageOf(listed));
  await expect(page.getByRole("heading", { name: "12 members" })).toBeVisible();
  await expect(page.getByRole("button", { name: /Remove|Add/ })).toHaveCount(0);
  await page.getByRole("tab", { name: "Access and settings" }).click();
  const access = page.getByRole("region", { name: "Access" });
  await expect(access).toContainText("@partner.example, lou@press.example");
  await expect(access).toContainText("Company owners");
  await expect(page.getByRole("main").getByRole("button")).toHaveCount(0);
});

test("the group pages are accessible and fit a phone", async ({ page, signIn }) => {
  const { companyId } = await signIn({ isOwner: true });
  await page.goto(LIST);
  await expect(page.getByRole("heading", { name: "No groups yet" })).toBeVisible();
  await expectNoPageFaults(page);
  const { support, listed } = await manyGroups(companyId);
  await page.goto(pageOf(support));
  await button(page, /^Remove/)
    .first()
    .click();
  await expect(page.getByText("was removed from the group")).toBeVisible();
  await expectNoPageFaults(page);
  await page.goto(`${pageOf(listed)}?tab=access`);
  await expect(picker(page, "Moderators")).toBeVisible();
  await expectNoPageFaults(page);
  await page.goto(`${LIST}/new`);
  await pick(page, "Members", "ben@x.example, lou");
  await button(page, "Create group").click();
  await expect(page.getByText(/^Address /)).toBeVisible();
  await expectNoPageFaults(page);
});

test("mailboxes of a unit, later ones too, are members until the unit is removed", async ({
  page,
  signIn,
}) => {
  const { companyId, domain } = await signIn({ privileges: [...PRIVILEGES, "view_users"] });
  const sales = await createUnit(aContext(companyId), { parentId: null, name: "Sales" });
  const at = await companyDomain(companyId);
  await aMailbox(at, { address: `ann@${domain}`, orgUnitId: sales });
  await page.goto(`${LIST}/new`);
  await field(page, "Address").fill("team");
  await page.getByLabel("Unit").selectOption("Sales (1)");
  await button(page, "Create group").click();
  await expect(page.getByRole("heading", { name: "1 member" })).toBeVisible();
  const row = page.getByRole("listitem").filter({ hasText: "Sales" });
  await expect(row).toContainText("Unit · 1 mailbox");

  await aMailbox(at, { address: `ben@${domain}`, orgUnitId: sales });
  await page.reload();
  await expect(row).toContainText("Unit · 2 mailboxes");
  await button(page, "Add members").click();
  await expect(page.getByText("Enter at least one address, or select a unit")).toBeVisible();
  await page.getByLabel("Unit").selectOption({ index: 1 });
  await button(page, "Add members").click();
  const everyone = page.getByRole("listitem").filter({ hasText: "Everyone in" });
  await expect(everyone).toContainText("Unit · 2 mailboxes");
  await expectNoPageFaults(page);
  await button(page, "Remove Sales").click();
  await expect(row).toHaveCount(0);
  await button(page, "Undo removing Sales").click();
  await expect(row).toBeVisible();
  await page.goto(`/console/mailboxes/${encodeURIComponent(`ann@${domain}`)}`);
  await expect(page.getByText("(through a unit)")).toBeVisible();
});
