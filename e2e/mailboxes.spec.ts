import type { Page } from "@playwright/test";

import { mailboxes } from "#drizzle/schema/index.ts";
import { saveRules } from "#server/core/mailboxes/mailbox-rules/mailbox-rules.ts";
import { type Privilege, UNIT_PRIVILEGES } from "#server/universal/privileges.ts";
import { db } from "#server/db/pool.ts";
import { aContext, aGroup, aMailbox } from "#server/testing/factories.ts";

import { expectNoPageFaults } from "./page-faults.ts";
import { aForwardRequest } from "./seed-account.ts";
import { expect, test } from "./mail-server.ts";
import {
  aCountedMailbox,
  companyDomain,
  manyMailboxes,
  setMailboxSizeMax,
} from "./seed-mailboxes.ts";

const LIST = "/console/mailboxes";
const ALL = { privileges: [...UNIT_PRIVILEGES] as Privilege[] };
const pageOf = (address: string, tab = "") =>
  `${LIST}/${encodeURIComponent(address)}${tab && `?tab=${tab}`}`;
const rowOf = (page: Page, name: string | RegExp) => page.getByRole("row", { name });
const field = (page: Page, name: string) => page.getByRole("textbox", { name, exact: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const chooseAll = (page: Page) => page.getByRole("checkbox", { name: "Select all on this page" });
const dialog = (page: Page) => page.getByRole("dialog");
const stored = async (mailbox: string) =>
  (await db().select().from(mailboxes)).find(({ address }) => address === mailbox);

test("the first mailbox is created, with errors next to their fields and a password shown once", async ({
  page,
  signIn,
}) => {
  const { domain } = await signIn(ALL);
  await page.goto("/console");
  await page.getByRole("link", { name: "Mailboxes", exact: true }).click();
  await expect(page.getByRole("heading", { name: "No mailboxes yet" })).toBeVisible();
  await page.getByRole("link", { name: "Create mailbox" }).click();
  await button(page, "Create mailbox").click();
  await expect(page.getByText("Address is required")).toBeVisible();
  await expect(page.getByText("Name is required")).toBeVisible();
  await field(page, "Address").fill("Ann.Lee");
  await field(page, "Name").fill("Ann Lee");
  await field(page, "Storage limit in MB").fill("large");
  await button(page, "Create mailbox").click();
  await expect(
    page.getByText("Storage limit must be a whole number from 256 to 51200"),
  ).toBeVisible();
  await expect(field(page, "Storage limit in MB")).toHaveValue("large");
  await expect(field(page, "Address")).toHaveValue("Ann.Lee");
  await field(page, "Storage limit in MB").fill("2,048");
  await page.keyboard.press("Enter");

  const password = await dialog(page).locator("code").textContent();
  expect(password).toMatch(/^\S{20}$/);
  await page.keyboard.press("Escape");
  await expect(dialog(page)).toContainText("/account and set a new password");
  await dialog(page).getByRole("button", { name: "I’ve saved it" }).click();
  await expect(page).toHaveURL(new RegExp(`${pageOf(`ann.lee@${domain}`)}$`));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(`ann.lee@${domain}`);
  await expect(page.getByRole("region", { name: "Details" })).toContainText("0 bytes of 2 GB");
  await expect(page.getByText("Password change required")).toBeVisible();
  await expect(page.getByText(password!)).toHaveCount(0);

  await page.getByRole("navigation", { name: "Breadcrumb" }).getByRole("link").click();
  await page.getByRole("link", { name: "Create mailbox" }).click();
  await field(page, "Name").fill("Ann Lee");
  await expect(field(page, "Address")).toHaveValue("ann.lee");
  await button(page, "Create mailbox").click();
  await expect(page.getByText(/is already a mailbox/)).toBeVisible();
  await expect(field(page, "Address")).toHaveAttribute("aria-invalid", "true");
});

test("one screen creates a mailbox with group, alias and emailed instructions, then another", async ({
  page,
  signIn,
}) => {
  const { companyId, domain } = await signIn({ isOwner: true });
  await aGroup(await companyDomain(companyId), { address: `staff@${domain}`, name: "Staff" });
  await page.goto(`${LIST}/new`);
  await field(page, "Name").fill("Zoë Lee");
  await expect(field(page, "Address")).toHaveValue("zoe.lee");
  await page.getByRole("combobox", { name: "Groups" }).fill("sta");
  await page.getByRole("option", { name: `staff@${domain}` }).click();
  await page.getByRole("combobox", { name: "Aliases" }).fill("zoe");
  await page.getByRole("radio", { name: "Email instructions to a private address" }).check();
  await button(page, "Create mailbox").click();
  await expect(page.getByText("Private address is required")).toBeVisible();
  await field(page, "Private address").fill("zoe@private.example");
  await expectNoPageFaults(page);
  await page.keyboard.press("Enter");
  await expect(dialog(page)).toContainText("emailing instructions to zoe@private.example");
  await dialog(page).getByRole("button", { name: "Create another" }).click();
  await expect(field(page, "Name")).toHaveValue("");

  await field(page, "Name").fill("Ben Okafor");
  await field(page, "Address").fill("bo");
  await field(page, "Name").fill("Ben O");
  await expect(field(page, "Address")).toHaveValue("bo");
  await button(page, "Create mailbox").click();
  await dialog(page).getByRole("button", { name: "Saved, create another" }).click();
  await page.goto(pageOf(`zoe.lee@${domain}`));
  await expect(page.getByRole("region", { name: "Details" })).toContainText(`staff@${domain}`);
  await expect(page.getByRole("region", { name: "Aliases" })).toContainText(`zoe@${domain}`);

  await page.getByRole("tab", { name: "Access" }).click();
  await expect(page.getByText("was emailed to zoe@private.example")).toBeVisible();
  await button(page, "Send link again").click();
  await expect(field(page, "Private address")).toHaveValue("zoe@private.example");
  await field(page, "Private address").fill("zoe@home.example");
  await page.keyboard.press("Enter");
  await expect(page.getByText("was emailed to zoe@home.example")).toBeVisible();
});

test("search, filters, and pages are kept in the URL, also after visiting a mailbox", async ({
  page,
  signIn,
}) => {
  const { companyId, domain } = await signIn(ALL);
  const { second, ann } = await manyMailboxes(companyId, 60);
  await page.goto(LIST);
  await expect(page.getByRole("row")).toHaveCount(51);
  await page.getByRole("link", { name: "Next" }).click();
  await expect(page.getByRole("row")).toHaveCount(14);
  await page.keyboard.press("/");
  await expect(page.getByLabel("Search mailboxes")).toBeFocused();
  await page.keyboard.type("ANN.LEE@");
  await expect(page).toHaveURL(/\?search=ANN\.LEE%40$/);
  await expect(page.getByRole("row")).toHaveCount(2);
  await rowOf(page, new RegExp(ann)).getByRole("link").click();
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(ann);
  await page.goBack();
  await expect(page.getByLabel("Search mailboxes")).toHaveValue("ANN.LEE@");
  await expect(page.getByRole("row")).toHaveCount(2);

  await page.getByLabel("Search mailboxes").fill("nobody/");
  await expect(page.getByText("No matching mailboxes")).toBeVisible();
  await page.getByRole("link", { name: "Clear filters" }).click();
  await expect(page.getByRole("row")).toHaveCount(51);
  await expect(page.getByLabel("Search mailboxes")).toHaveValue("");
  await page.getByLabel("Domain").selectOption(second.name);
  await expect(page.getByRole("row")).toHaveCount(7);
  await page.getByLabel("Status").selectOption("Active");
  await expect(page).toHaveURL(/\?domain=.*&status=active$/);
  await page.getByLabel("Domain").selectOption("All domains");
  await page.getByLabel("Status").selectOption("Suspended");
  await expect(page).toHaveURL(/\?status=suspended$/);
  await expect(page.getByRole("row")).toHaveCount(6);
  await expect(page.getByRole("row", { name: /Suspended/ })).toHaveCount(5);
  await page.goto(`${LIST}?domain=${domain}&status=active&search=held`);
  await expect(rowOf(page, /ben\.held.*On hold/)).toBeVisible();
  await expect(page.getByLabel("Status")).toHaveValue("active");
});

test("a mailbox is shared with another one, and no longer", async ({ page, signIn }) => {
  const { companyId, domain } = await signIn(ALL);
  const info = await aCountedMailbox(await companyDomain(companyId), { address: `info@${domain}` });
  await aCountedMailbox(await companyDomain(companyId), { address: `ann@${domain}` });
  await page.goto(pageOf(info, "access"));
  const shares = page.getByRole("region", { name: "Shared with" });
  await expect(shares).toContainText("Not shared.");
  await field(page, "Mailbox or group").fill("nobody");
  await button(page, "Share mailbox").click();
  await expect(shares).toContainText("must be a mailbox or group of the company");
  await field(page, "Mailbox or group").fill("ann");
  await shares.getByRole("switch", { name: "Can send as this mailbox" }).press("Space");
  await button(page, "Share mailbox").click();
  const item = shares.getByRole("listitem");
  await expect(item).toContainText(`ann@${domain}`);
  await expect(item).toContainText("Read and write, send as this mailbox");
  await expectNoPageFaults(page);
  await button(page, `Stop sharing with ann@${domain}`).click();
  await expect(shares).toContainText("Not shared.");
  await button(page, "Undo").click();
  await expect(item).toContainText("send as this mailbox");
});

test("adding an alias checks it, and removing it asks first", async ({ page, signIn }) => {
  const { companyId, domain } = await signIn(ALL);
  const ann = await aCountedMailbox(await companyDomain(companyId), { address: `ann@${domain}` });
  await page.goto(pageOf(ann));
  const aliases = page.getByRole("region", { name: "Aliases" });
  await expect(aliases).toContainText("No aliases.");
  const alias = aliases.getByLabel("New alias");
  await alias.fill("*");
  await expect(aliases.getByText(/^A catch-all gets all mail/)).toBeVisible();
  await alias.fill("press@elsewhere.example");
  await button(page, "Add alias").click();
  await expect(aliases.getByText(/^Address /)).toBeVisible();
  await expect(alias).toHaveValue("press@elsewhere.example");
  await alias.fill(ann);
  await page.keyboard.press("Enter");
  await expect(aliases.getByText("Address is already the mailbox’s own address")).toBeVisible();
  await alias.fill("Press");
  await page.keyboard.press("Enter");
  await expect(aliases.getByRole("listitem")).toHaveText([new RegExp(`press@${domain}`)]);
  await expect(alias).toHaveValue("");
  await aliases.getByRole("button", { name: `Remove press@${domain}` }).click();
  await expect(dialog(page)).toContainText("Mail to this alias will be rejected");
  await dialog(page).getByRole("button", { name: "Remove alias" }).click();
  await expect(aliases).toContainText("No aliases.");
});

test("name, storage limit, and unit are changed, and the form shows what was saved", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn(ALL);
  const { ann } = await manyMailboxes(companyId, 0);
  await setMailboxSizeMax(companyId, 20_480);
  await page.goto(pageOf(ann, "settings"));
  const save = button(page, "Save changes");
  await field(page, "Name").fill("");
  await field(page, "Storage limit in MB").fill("-5");
  await save.click();
  await expect(page.getByText("Name is required")).toBeVisible();
  await field(page, "Name").fill("  Ann Lee-Ruiz ");
  await save.click();
  await expect(page.getByText("Storage limit must be a whole number")).toBeVisible();
  await expect(field(page, "Storage limit in MB")).toHaveValue("-5");
  await field(page, "Storage limit in MB").fill("40 960");
  await page.getByLabel("Unit", { exact: true }).selectOption({ label: "\u2003Sales" });
  await save.click();
  await expect(page.getByText("Saved with 20,480 MB, the most your plan allows")).toBeVisible();
  await expect(field(page, "Storage limit in MB")).toHaveValue("20480");
  await expect(field(page, "Name")).toHaveValue("Ann Lee-Ruiz");
  await field(page, "Name").fill("Ann");
  await expect(page.getByText(/^Saved/)).toHaveCount(0);
  await page.getByRole("tab", { name: "Overview" }).click();
  const details = page.getByRole("region", { name: "Details" });
  await expect(details).toContainText("Sales");
  await expect(details).toContainText("of 20 GB");
});

test("a password is reset, and a password change is required", async ({ page, signIn }) => {
  const { companyId } = await signIn(ALL);
  const ann = await aCountedMailbox(await companyDomain(companyId), {});
  await page.goto(pageOf(ann, "access"));
  await button(page, "Require password change").click();
  await dialog(page).getByRole("button", { name: "Require password change" }).click();
  await expect(page.getByText("Password change required")).toBeVisible();
  await button(page, "Cancel password change").click();
  await expect(page.getByText("Password change required")).toBeHidden();
  const { passwordHash } = (await stored(ann))!;
  await button(page, "Reset password").click();
  await dialog(page).getByRole("button", { name: "Reset password" }).click();
  await expect(dialog(page).locator("code")).toHaveText(/^\S{20}$/);
  expect((await stored(ann))!.passwordHash).not.toBe(passwordHash);
  await dialog(page).getByRole("button", { name: "I’ve saved it" }).click();
  await expect(dialog(page)).toHaveCount(0);
  await expect(page.getByText("Password change required")).toBeVisible();
});

test("a mailbox is suspended and restored, by keyboard", async ({ page, signIn }) => {
  const { companyId } = await signIn(ALL);
  const ann = await aCountedMailbox(await companyDomain(companyId), {});
  await page.goto(pageOf(ann, "settings"));
  await button(page, "Suspend mailbox").press("Enter");
  await dialog(page).getByRole("button", { name: "Suspend mailbox" }).press("Enter");
  await expect(button(page, "Restore mailbox")).toBeFocused();
  await expect(dialog(page)).toHaveCount(0);
  expect((await stored(ann))!.suspendedAt).not.toBeNull();
  await page.keyboard.press("Enter");
  await expect(button(page, "Suspend mailbox")).toBeFocused();
  expect((await stored(ann))!.suspendedAt).toBeNull();
});

test("suspending a leaver's mailbox sets forwarding, a share, and an automatic reply", async ({
  page,
  signIn,
}) => {
  const domain = await companyDomain((await signIn(ALL)).companyId);
  const ann = await aCountedMailbox(domain, { name: "Ann Lee" });
  const ben = await aCountedMailbox(domain, {});
  await page.goto(pageOf(ann));
  await button(page, "Actions").press("Enter");
  await page.getByRole("menuitem", { name: "Suspend mailbox" }).click();
  await dialog(page).getByLabel("Deliver new mail to").fill(ben.split("@")[0]!);
  await dialog(page).getByLabel("Share the mailbox with").fill(ben);
  await dialog(page).getByRole("switch", { name: "Send automatic replies" }).click();
  await dialog(page).getByLabel("Message").fill(`Write to ${ben} instead.`);
  await expectNoPageFaults(page);
  await dialog(page).getByRole("button", { name: "Suspend mailbox" }).click();
  await expect(button(page, "Restore mailbox")).toBeVisible();
  expect((await stored(ann))!.suspendedAt).not.toBeNull();
  await page.goto(pageOf(ann, "access"));
  await expect(page.getByRole("list", { name: "Shared with" })).toContainText(ben);

  await page.goto(pageOf(ann));
  const rules = page.getByRole("region", { name: "Mail rules and sending" });
  await expect(rules).toContainText(`To ${ben}, keeping a copy`);
  await expect(rules).toContainText("“Ann Lee is no longer available at this address”");
  await button(page, "Edit forwarding").click();
  await dialog(page)
    .getByRole("button", { name: `Remove ${ben}` })
    .click();
  await dialog(page).getByRole("button", { name: "Save changes" }).click();
  await expect(dialog(page).getByText("Saved. Forwarding is off.")).toBeVisible();
  await expectNoPageFaults(page);
  await page.keyboard.press("Escape");
  await button(page, "Edit automatic replies").click();
  await expect(dialog(page).getByLabel("Message")).toHaveValue(`Write to ${ben} instead.`);
  await dialog(page).getByRole("switch", { name: "Send automatic replies" }).click();
  await dialog(page).getByRole("button", { name: "Save changes" }).click();
  await page.keyboard.press("Escape");
  await expect(rules.getByText("Off")).toHaveCount(2);
});

test("changing a mailbox's address keeps the old one as an alias", async ({ page, signIn }) => {
  const { companyId } = await signIn(ALL);
  const domain = await companyDomain(companyId);
  const ann = await aCountedMailbox(domain, {});
  const ben = await aCountedMailbox(domain, {});
  const to = `ann.marsh@${domain.name}`;
  await page.goto(pageOf(ann, "settings"));
  await button(page, "Change address").click();
  await dialog(page).getByLabel("New address").fill(ben);
  await dialog(page).getByRole("button", { name: "Change address" }).click();
  await expect(dialog(page).getByText(/is already a mailbox/)).toBeVisible();
  await expectNoPageFaults(page);
  await dialog(page).getByLabel("New address").fill("ann.marsh");
  await dialog(page).getByRole("button", { name: "Change address" }).click();
  await expect(page.getByText(`Address changed to ${to}`)).toBeVisible();
  await expect(page.getByRole("heading", { level: 1, name: to })).toBeVisible();
  await page.goto(pageOf(to));
  await expect(page.getByRole("region", { name: "Aliases" })).toContainText(ann);
  expect(await stored(ann)).toBeUndefined();
});

test("the palette opens mailboxes, suspends them and resets passwords after asking", async ({
  page,
  signIn,
}) => {
  const { companyId, domain } = await signIn(ALL);
  const address = `zoe@${domain}`;
  await aCountedMailbox(await companyDomain(companyId), { address });
  await page.goto(LIST);
  await expect(page.getByRole("row", { name: address })).toBeVisible();
  const type = async (words: string) => {
    await page.keyboard.press("Control+k");
    await expect(page.getByRole("combobox", { name: /^Search pages/ })).toBeFocused();
    await page.keyboard.type(words);
  };
  await type(address);
  const options = page.getByRole("listbox", { name: "Search and commands" }).getByRole("option");
  await expect(options).toHaveText([
    new RegExp(`^${address}Mailbox`),
    `Reset password for ${address}`,
    `Suspend ${address}`,
    `Where does mail to ${address} go?`,
  ]);
  await expect(options.first()).toHaveAttribute("aria-selected", "true");
  await expectNoPageFaults(page);
  await page.keyboard.press("ArrowDown");
  await expect(options.nth(1)).toHaveAttribute("aria-selected", "true");
  await page.keyboard.press("ArrowUp");
  await page.keyboard.press("Enter");
  await expect(page.getByRole("heading", { level: 1, name: address })).toBeFocused();
  await expect(page.getByRole("dialog")).toHaveCount(0);

  await type("suspend zoe");
  await expect(page.getByRole("option", { name: `Suspend ${address}` })).toBeVisible();
  await page.keyboard.press("Enter");
  await expect(page.getByRole("dialog", { name: `Suspend ${address}?` })).toBeVisible();
  await expect(page).toHaveURL(/\?tab=settings$/);
  await page.keyboard.press("Escape");

  await type("reset password for");
  await page.keyboard.press("Enter");
  await page.keyboard.type("zoe");
  await page.getByRole("option", { name: `Reset password for ${address}` }).click();
  await expect(page.getByRole("dialog", { name: `Reset password for ${address}?` })).toBeVisible();
  await page.keyboard.press("Escape");
});

test("an owner deletes a mailbox by typing its address", async ({ page, signIn }) => {
  const { companyId } = await signIn({ isOwner: true });
  const { ann } = await manyMailboxes(companyId, 0);
  await page.goto(LIST);
  await rowOf(page, new RegExp(ann)).getByRole("link").click();
  await page.getByRole("tab", { name: "Settings" }).click();
  await button(page, "Delete mailbox").click();
  await expect(dialog(page)).toContainText("loses access to 18,204 messages (9.2 GB)");
  await expect(dialog(page)).toContainText("You can restore it for 20 days, until");
  await expect(dialog(page)).toContainText("its 3 aliases will be rejected");
  await expect(dialog(page)).toContainText("stays in 2 groups");
  const confirmation = dialog(page).getByLabel(`Type ${ann} to confirm`);
  await expect(confirmation).toBeFocused();
  await page.keyboard.type("other text");
  await page.keyboard.press("Enter");
  await expect(dialog(page)).toContainText(`Doesn’t match ${ann}`);
  await confirmation.fill(ann);
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(new RegExp(`${LIST}$`));
  await expect(page.getByRole("row")).toHaveCount(3);
  await expect(rowOf(page, new RegExp(ann))).toHaveCount(0);
  expect(await stored(ann)).toBeUndefined();
});

test.describe("a single privilege", () => {
  const BUTTONS: Record<string, string[]> = {
    Overview: ["Add alias"],
    Access: ["Reset password", "Require password change", "Share mailbox"],
    Settings: ["Save changes", "Suspend mailbox", "Delete mailbox"],
  };
  for (const [privilege, may] of [
    ["view_users", []],
    ["update_users", ["Add alias", "Save changes"]],
    ["reset_user_passwords", ["Reset password", "Require password change", "Share mailbox"]],
    ["suspend_users", ["Suspend mailbox"]],
  ] as const)
    test(`${privilege} offers what it allows and nothing else`, async ({ page, signIn }) => {
      const { companyId } = await signIn({ privileges: ["view_users", privilege] });
      const { held } = await manyMailboxes(companyId, 0);
      await page.goto(LIST);
      await expect(page.getByRole("row")).toHaveCount(4);
      await expect(page.getByRole("link", { name: "Create mailbox" })).toHaveCount(0);
      await page.goto(pageOf(held));
      await expect(page.getByRole("region", { name: "Details" })).toBeVisible();
      for (const tab of ["Overview", "Access", "Settings"]) {
        const opened = page.getByRole("tab", { name: tab });
        if ((await opened.count()) === 0) continue;
        await opened.click();
        await expect(page.getByRole("tabpanel")).toBeVisible();
        for (const name of BUTTONS[tab]!)
          await expect(button(page, name)).toHaveCount(
            (may as readonly string[]).includes(name) ? 1 : 0,
          );
      }
      await expect(page.getByRole("main").getByRole("link", { name: "mail on hold" })).toHaveCount(
        privilege === "reset_user_passwords" ? 1 : 0,
      );
    });

  test("without the privilege to view mailboxes, an error is shown", async ({ page, signIn }) => {
    const { companyId } = await signIn({ privileges: ["create_users"] });
    const { ann } = await manyMailboxes(companyId, 0);
    await page.goto(LIST);
    await expect(page.getByText("You don’t have access to the mailboxes")).toBeVisible();
    await expect(page.getByRole("search")).toHaveCount(0);
    await page.goto(pageOf(ann));
    await expect(page.getByText("You don’t have access to this mailbox")).toBeVisible();
  });
});

test("mailboxes are accessible and fit the screen", async ({ page, signIn }) => {
  const { companyId, domain } = await signIn({ isOwner: true });
  await page.goto(LIST);
  await expect(page.getByRole("heading", { name: "No mailboxes yet" })).toBeVisible();
  await expectNoPageFaults(page);
  await aMailbox(await companyDomain(companyId));
  const { ann, held } = await manyMailboxes(companyId, 2);
  await page.goto(pageOf(held));
  await expect(page.getByRole("heading", { level: 1 })).toHaveText(held);
  await expectNoPageFaults(page);
  for (const tab of ["access", "apps", "settings"]) {
    await page.goto(pageOf(ann, tab));
    await expect(page.getByRole("tabpanel").getByRole("heading").first()).toBeVisible();
    await expectNoPageFaults(page);
  }
  await button(page, "Delete mailbox").click();
  await expect(dialog(page)).toBeVisible();
  await expectNoPageFaults(page);
  await page.goto(LIST);
  await chooseAll(page).check();
  await button(page, "Change storage").click();
  await expect(dialog(page)).toBeVisible();
  await expectNoPageFaults(page);
  await page.goto(`${LIST}/import`);
  await page.getByLabel("CSV or JSON data").fill(`ann@x.example,Ann\nnew@${domain},New`);
  await button(page, "Continue").click();
  await expect(page.getByText("2 lines")).toBeVisible();
  await expectNoPageFaults(page);
  await button(page, "Check lines").click();
  await expect(page.getByText("1 mailbox will be created.")).toBeVisible();
  await expectNoPageFaults(page);
  await page.goto(`${LIST}/new`);
  await button(page, "Create mailbox").click();
  await expect(page.getByText("Address is required")).toBeVisible();
  await expectNoPageFaults(page);
});

test("a forwarding address that hasn't confirmed is shown, and asked again", async ({
  page,
  signIn,
}) => {
  const { companyId } = await signIn(ALL);
  const { address } = await aMailbox(await companyDomain(companyId));
  const target = `ben@${companyId}.example`;
  await aForwardRequest(address, target);
  await saveRules(aContext(companyId), address, { forwardTo: [target] });
  await page.goto(pageOf(address));
  await expect(page.getByText(`Waiting for ${target} to confirm`)).toBeVisible();
  await button(page, `Resend request to ${target}`).click();
  await expect(page.getByText(`Request sent to ${target}`)).toBeVisible();
  await expectNoPageFaults(page);
  await page.goto(`/console/mailboxes/route?address=${encodeURIComponent(address)}`);
  await expect(page.getByText("Not forwarded: waiting for confirmation")).toBeVisible();
});
