import { readFile } from "node:fs/promises";

import type { Page } from "@playwright/test";

import { mailboxes, orgUnits } from "#drizzle/schema/index.ts";
import { runMailboxImport } from "#server/core/mailboxes/mailbox-imports/run-mailbox-import.ts";
import { db } from "#server/db/pool.ts";
import { aDomain, aMailbox, anAlias } from "#server/testing/factories.ts";
import { noticeTo } from "#server/testing/sent-notices.ts";
import { type Privilege, UNIT_PRIVILEGES } from "#server/universal/privileges.ts";

import { expect, test } from "./mail-server.ts";
import { expectNoPageFaults } from "./page-faults.ts";
import { companyDomain } from "./seed-mailboxes.ts";

const LIST = "/console/mailboxes";
const ALL = { privileges: [...UNIT_PRIVILEGES, "manage_settings"] as Privilege[] };
const button = (page: Page, name: string | RegExp) =>
  page.getByRole("button", { name, exact: true });
const dialog = (page: Page) => page.getByRole("dialog", { name: "Leave this page?" });
const passwords = (page: Page) => page.getByRole("region", { name: "Temporary passwords" });
const mailboxesOf = async (company: string) =>
  (await db().select().from(mailboxes)).filter(({ companyId }) => companyId === company);

/** Runs the import that the page shows, as the worker does. */
const runShown = (page: Page) =>
  runMailboxImport(db(), new URL(page.url()).pathname.split("/").at(-1)!);

/** Opens the first result of the command palette. */
async function search(page: Page, text: string) {
  await page.keyboard.press("Control+k");
  await expect(page.getByRole("combobox", { name: /^Search pages/ })).toBeFocused();
  await page.keyboard.type(text);
  const results = page.getByRole("listbox", { name: "Search and commands" });
  await expect(results.getByRole("option", { selected: true })).toContainText(text);
  await page.keyboard.press("Enter");
}

async function enter(page: Page, lines: string[]) {
  await page.goto(`${LIST}/import`);
  await page.getByLabel("CSV or JSON data").fill(lines.join("\n"));
  await button(page, "Continue").click();
}

test("a list is checked, imported on the server, and recognized when imported again", async ({
  page,
  signIn,
}) => {
  const { companyId, domain } = await signIn(ALL);
  const at = await companyDomain(companyId);
  const old = (await aMailbox(at, { address: `old@${domain}` })).address;
  await anAlias(at, old, `taken@${domain}`);
  const lines = Array.from({ length: 30 }, (_, i) => `p${i}@${domain};Person ${i};`);
  await aDomain(companyId, { name: `000.${domain}` });
  await page.goto(LIST);
  await page.getByRole("link", { name: "Import mailboxes" }).click();
  // The example is at the domain that most mailboxes have.
  await expect(page.getByText(`ann.lee@${domain},Ann Lee`)).toBeVisible();
  await button(page, "Continue").click();
  await expect(page.getByText("Paste a list or choose a file")).toBeVisible();
  await enter(page, [
    "E-mail;Who;Alias;Status",
    ...lines,
    `old@${domain};Old;`,
    `new@${domain};New;taken@${domain}`,
    "nobody;;",
    `gone@${domain};Gone;;Suspended`,
    `first@${domain};First;one@${domain} two@${domain}`,
  ]);
  await button(page, "Check lines").click();
  await expect(page.getByText("Select the column with the names")).toBeVisible();
  await page.getByLabel("Column 2").selectOption("Name");
  await button(page, "Check lines").click();
  await expect(
    page.getByText(
      "31 mailboxes will be created. 1 mailbox already exists. 1 user is suspended or archived in the other system and will be skipped. 2 lines have errors",
    ),
  ).toBeVisible();
  await expect(
    page
      .getByRole("listitem")
      .filter({ hasText: `gone@${domain}` })
      .getByText("Skipped"),
  ).toBeVisible();
  await expect(page.getByText("Address must be a valid email address")).toBeVisible();
  await expect(page.getByText(`taken@${domain} is already an alias`)).toBeVisible();
  expect(await mailboxesOf(companyId)).toHaveLength(1);

  await button(page, "Create 31 mailboxes").click();
  await expect(page.getByText("It continues on the server if you leave this page")).toBeVisible();
  const url = page.url();
  await button(page, "Stop import").click();
  await expect(page.getByText("0 mailboxes created, 31 remaining")).toBeVisible();
  await button(page, "Continue import").click();
  await expect(button(page, "Stop import")).toBeVisible();
  await page.goto(LIST);
  const note = page.getByRole("link", { name: "Importing mailboxes: 1 of 32 lines" });
  await expect(note).toBeVisible();
  await runMailboxImport(db(), url.split("/").at(-1)!);
  expect(await mailboxesOf(companyId)).toHaveLength(32);
  await page.getByRole("link", { name: "31 temporary passwords to save" }).click();
  await expect(page.getByText("Done: 31 mailboxes created.")).toBeVisible();
  await expect(page.getByText("31 temporary passwords were created")).toBeVisible();
  await expect(page.getByText(/^Line 34$/)).toBeVisible();
  await expectNoPageFaults(page);

  const downloading = page.waitForEvent("download");
  await button(page, "Download list (CSV)").click();
  const file = await readFile(await (await downloading).path(), "utf8");
  expect(file.trim().split("\r\n")).toHaveLength(32);
  await button(page, "I’ve saved them").click();
  await expect(passwords(page)).toHaveCount(0);
  await expect(page.getByText("temporary passwords to save")).toHaveCount(0);
  await page.reload();
  await expect(page.getByText("Done: 31 mailboxes created.")).toBeVisible();
  await expect(passwords(page)).toHaveCount(0);

  await enter(page, ["email,name", `p0@${domain},Person`, `${old},Old`]);
  await expect(page.getByText("2 mailboxes already exist.")).toBeVisible();
});

test("users with a private address get a link by email, and set their password with it", async ({
  page,
  signIn,
  appliance,
}) => {
  const { companyId, domain } = await signIn(ALL);
  await enter(page, [
    "email,name,private address",
    `ann@${domain},Ann,ann@home.example`,
    `ben@${domain},Ben,`,
    `cem@${domain},Cem,cem`,
  ]);
  await expect(
    page.getByText(
      "2 mailboxes will be created. 1 user gets an email at a private address with a link to set the password. 1 line has errors",
    ),
  ).toBeVisible();
  await expect(page.getByText("Private address must be a valid address")).toBeVisible();
  await button(page, "All lines (3)").click();
  await expect(page.getByText("link to ann@home.example")).toBeVisible();
  await expectNoPageFaults(page);
  await button(page, "Create 2 mailboxes").click();
  await expect(button(page, "Stop import")).toBeVisible();
  await runShown(page);
  await expect(page.getByText("Done: 2 mailboxes created.")).toBeVisible();
  await expect(page.getByText("Emailed to 1 user")).toBeVisible();
  await expect(passwords(page)).toContainText("The temporary password was created");
  await expectNoPageFaults(page);
  await button(page, "I’ve saved it").click();

  const text = await noticeTo(companyId, "ann@home.example");
  await page.goto(appliance.url + /\/account\/set-password#\S+/.exec(text)![0]);
  await expect(page.getByText(`For your mailbox ann@${domain}`)).toBeVisible();
  for (const name of ["New password", "Confirm new password"])
    await page.getByRole("textbox", { name, exact: true }).fill("seven green umbrellas");
  await page.keyboard.press("Enter");
  await expect(page).toHaveURL(/\/account\/overview$/);
});

test("leaving unsaved passwords asks first, and they can be seen again", async ({
  page,
  signIn,
}) => {
  const { domain } = await signIn(ALL);
  await enter(page, ["email,name", `ann@${domain},Ann`, `ben@${domain},Ben`]);
  await button(page, "Create 2 mailboxes").click();
  await expect(button(page, "Stop import")).toBeVisible();
  await runShown(page);
  const shown = button(page, "I’ve saved them");
  await expect(shown).toBeVisible();
  const url = page.url();
  const stay = async () => {
    await expect(dialog(page)).toContainText("You haven’t saved the temporary passwords.");
    await button(page, "Stay").click();
    await expect(dialog(page)).toHaveCount(0);
    expect(page.url()).toBe(url);
    await expect(shown).toBeVisible();
  };
  await page.getByRole("link", { name: "Units", exact: true }).click();
  await stay();
  await page.keyboard.press("g");
  await page.keyboard.press("u");
  await stay();
  await search(page, "Units");
  await stay();
  await page.goBack();
  await stay();
  await page.goBack();
  await button(page, "Leave page").click();
  await expect(page).toHaveURL(new RegExp(`${LIST}/import$`));
  await expect(page.getByText("2 temporary passwords to save").first()).toBeVisible();
  await page.goto(url);
  await expect(shown).toBeVisible();
  await page.getByRole("link", { name: "Units", exact: true }).click();
  await button(page, "Leave page").click();
  await expect(page).toHaveURL(/units$/);
});

test("a new API key isn’t lost by the search or by Back", async ({ page, signIn }) => {
  await signIn({ privileges: ["api_controls", "view_users"] });
  await page.goto("/console/api-keys");
  await page.getByRole("link", { name: "Create API key" }).first().click();
  await page.getByRole("textbox", { name: "Name" }).fill("Shop");
  await button(page, "Create API key").click();
  const secret = page.locator("code").filter({ hasText: "ph_" });
  await expect(secret).toBeVisible();
  await page.goBack();
  await expect(dialog(page)).toContainText("You won’t be able to see what it shows again");
  await button(page, "Stay").click();
  await expect(secret).toBeVisible();
  await search(page, "Mailboxes");
  await button(page, "Stay").click();
  await expect(secret).toBeVisible();
});

test("units that don’t exist are named and created with the import", async ({ page, signIn }) => {
  const { companyId, domain } = await signIn(ALL);
  await enter(page, [
    "First Name [Required],Last Name [Required],Email Address [Required],Org Unit Path [Required]",
    `Ann,Lee,ann@${domain},/Engineering`,
    `Ben,Ray,ben@${domain},/Sales/Berlin`,
    `Cem,Oz,cem@${domain},/`,
  ]);
  await expect(page.getByText("2 units don’t exist")).toBeVisible();
  await expect(page.getByText("The unit Engineering doesn’t exist")).toBeVisible();
  await expect(page.getByText("1 mailbox will be created. 2 lines have errors")).toBeVisible();
  await expectNoPageFaults(page);
  await page.getByLabel("Create these 2 units").check();
  await expect(page.getByText("3 mailboxes will be created.")).toBeVisible();
  await button(page, "Create 3 mailboxes").click();
  await expect(button(page, "Stop import")).toBeVisible();
  await runShown(page);
  await expect(page.getByText("Done: 3 mailboxes created.")).toBeVisible();
  const units = (await db().select().from(orgUnits)).filter((unit) => unit.companyId === companyId);
  expect(units.map(({ name }) => name)).toEqual(
    expect.arrayContaining(["Engineering", "Sales", "Berlin"]),
  );
  await button(page, "I’ve saved them").click();
});

test("a CSV file that Excel saved in Windows-1252 keeps its umlauts", async ({ page, signIn }) => {
  const { companyId, domain } = await signIn(ALL);
  await page.goto(`${LIST}/import`);
  await expect(page.getByText(`ann.lee@${domain},Ann Lee`)).toBeVisible();
  const buffer = Buffer.from(`email;name\r\njl@${domain};Jürgen Lee\r\n`, "latin1");
  await page
    .locator("input[type=file]")
    .setInputFiles({ name: "people.csv", mimeType: "text/csv", buffer });
  await expect(page.getByText("Jürgen Lee")).toBeVisible();
  await button(page, "Create 1 mailbox").click();
  await expect(button(page, "Stop import")).toBeVisible();
  await runShown(page);
  await expect(page.getByText("Done: 1 mailbox created.")).toBeVisible();
  expect((await mailboxesOf(companyId)).map(({ name }) => name)).toEqual(["Jürgen Lee"]);
  await button(page, "I’ve saved it").click();
});

test("five thousand lines are checked and shown", async ({ page, signIn }) => {
  const { domain } = await signIn(ALL);
  await page.goto(`${LIST}/import`);
  const list = Array.from({ length: 5_000 }, (_, i) => `p${i}@${domain},Person ${i}`).join("\n");
  await page.getByLabel("CSV or JSON data").evaluate((field, list) => {
    const clipboardData = new DataTransfer();
    clipboardData.setData("text/plain", list);
    field.dispatchEvent(
      new ClipboardEvent("paste", { clipboardData, bubbles: true, cancelable: true }),
    );
  }, list);
  await button(page, "Continue").click();
  await expect(page.getByText("5,000 lines")).toBeVisible();
  await button(page, "Check lines").click();
  await expect(page.getByText("5,000 mailboxes will be created.")).toBeVisible();
  await expect(page.getByRole("listitem").filter({ hasText: "Person" })).toHaveCount(100);
});
