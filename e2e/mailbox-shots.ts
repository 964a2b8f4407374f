import type { Page } from "@playwright/test";

import { groupUnits } from "#drizzle/schema/index.ts";
import { createUnit, ensureRootUnit } from "#server/core/mailboxes/org-units/units.ts";
import { type Privilege, UNIT_PRIVILEGES } from "#server/universal/privileges.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db, pool } from "#server/db/pool.ts";
import { aCompany, aContext, aDomain, anAdmin } from "#server/testing/factories.ts";

import { manyGroups } from "./seed-groups.ts";
import { manyMailboxes, seedMailboxActivity } from "./seed-mailboxes.ts";
import { failRequests, stallRequests, type Shot } from "./screenshot.ts";

const MAILBOXES = 300;

/** Mailboxes and groups. Needs a mail server. */
export async function mailboxShots(): Promise<Shot[]> {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  await aDomain(companyId, { name: `nw${companyId.slice(-4)}.example` });
  const { ann, held, long } = await manyMailboxes(companyId, MAILBOXES);
  await seedMailboxActivity(companyId, ann);
  const owner = await anAdminSession(companyId, [], true);
  const reader = await anAdminSession(companyId, ["view_users"]);
  const without = await anAdminSession(companyId, ["api_controls"]);
  const admin: Privilege[] = [...UNIT_PRIVILEGES, "domains", "view_groups", "manage_groups"];
  const empty = await anAdminSession(await aCompanyWithDomain(), admin);
  const { id: bare } = await aCompany({ name: "Northwind Trading" });
  await ensureRootUnit({ db: db(), companyId: bare });
  const noDomain = await anAdminSession(bare, admin);
  await pool().sql`update mailboxes set force_password_change = true where address = ${long}`;
  const list = "/console/mailboxes";
  const pageOf = (address: string) => `${list}/${encodeURIComponent(address)}`;
  return [
    { name: "mailboxes-full", path: list, as: owner },
    { name: "mailboxes-filtered", path: `${list}?search=ann&status=active`, as: owner },
    { name: "mailboxes-no-results", path: `${list}?search=nobody`, as: owner },
    { name: "mailboxes-empty", path: list, as: empty },
    { name: "mailboxes-no-domain", path: list, as: noDomain },
    { name: "mailboxes-loading", path: list, as: owner, before: stallRequests },
    { name: "mailboxes-error", path: list, as: owner, before: failRequests },
    { name: "mailboxes-no-privilege", path: list, as: without },
    { name: "mailboxes-new", path: `${list}/new`, as: owner },
    { name: "mailboxes-new-refused", path: `${list}/new`, as: owner, act: submitInvalidMailbox },
    { name: "mailboxes-new-no-domain", path: `${list}/new`, as: noDomain },
    { name: "mailbox-full", path: pageOf(ann), as: owner },
    { name: "mailbox-calendars", path: pageOf(ann), as: owner, before: addCollections },
    { name: "mailbox-held", path: pageOf(held), as: owner },
    { name: "mailbox-long", path: pageOf(long), as: reader },
    { name: "mailbox-loading", path: pageOf(ann), as: owner, before: stallRequests },
    { name: "mailbox-error", path: pageOf(ann), as: owner, before: failRequests },
    { name: "mailbox-unknown", path: pageOf(`x${ann}`), as: owner },
    { name: "mailbox-access", path: `${pageOf(ann)}?tab=access`, as: owner },
    { name: "mailbox-apps", path: `${pageOf(ann)}?tab=apps`, as: owner },
    { name: "mailbox-settings", path: `${pageOf(ann)}?tab=settings`, as: owner },
    {
      name: "mailbox-delete",
      path: `${pageOf(ann)}?tab=settings`,
      as: owner,
      act: openDeleteDialog,
    },
    {
      name: "mailbox-leaver",
      path: `${pageOf(ann)}?tab=settings`,
      as: owner,
      act: openSuspendDialog,
    },
    {
      name: "mailbox-rename",
      path: `${pageOf(ann)}?tab=settings`,
      as: owner,
      act: openDialogOf("Change address"),
    },
    {
      name: "mailbox-forwarding",
      path: pageOf(ann),
      as: owner,
      act: openDialogOf("Edit forwarding"),
    },
    { name: "mailbox-link", path: `${pageOf(long)}?tab=access`, as: owner, act: openLinkDialog },
    { name: "mailboxes-row-menu", path: list, as: owner, act: openRowMenu },
    { name: "mailboxes-views", path: `${list}?status=active`, as: owner, act: openViews },
    {
      name: "mailbox-reset-confirm",
      path: `${pageOf(held)}?tab=access`,
      as: owner,
      act: openResetDialog,
    },
    { name: "mailbox-reset", path: `${pageOf(held)}?tab=access`, as: owner, act: resetPassword },
    { name: "mailbox-sheet", path: `${pageOf(held)}?tab=access`, as: owner, act: printSheet },
    { name: "mailboxes-selected", path: list, as: owner, act: selectAll },
    { name: "mailboxes-suspend", path: list, as: owner, act: selectSome("Suspend") },
    { name: "mailboxes-move", path: list, as: owner, act: selectSome("Move") },
    { name: "mailboxes-size", path: list, as: owner, act: selectSome("Change storage") },
    { name: "mailboxes-delete", path: list, as: owner, act: selectSome("Delete") },
    {
      name: "mailboxes-reset",
      path: `${list}?search=held`,
      as: owner,
      act: resetSelectedPasswords,
    },
    { name: "mailboxes-route", path: `${list}/route?address=${ann}`, as: owner },
    { name: "mailboxes-route-rejected", path: `${list}/route?address=nobody-${ann}`, as: owner },
    { name: "mailboxes-route-none", path: `${list}/route`, as: owner },
    { name: "mailboxes-mail-log", path: "/console/mail-log", as: owner },
    { name: "mailboxes-mail-log-empty", path: "/console/mail-log", as: empty },
    {
      name: "mailboxes-mail-log-error",
      path: "/console/mail-log",
      as: owner,
      before: failRequests,
    },
    { name: "mailboxes-import", path: `${list}/import`, as: owner },
    { name: "mailboxes-import-columns", path: `${list}/import`, as: owner, act: readList(ann) },
    { name: "mailboxes-import-checked", path: `${list}/import`, as: owner, act: tryList(ann) },
    ...(await groupShots(without, empty)),
  ];
}

type Person = { cookie: string };

async function groupShots(without: Person, empty: Person): Promise<Shot[]> {
  const companyId = await aCompanyWithDomain();
  const { support, listed, all, old } = await manyGroups(companyId);
  const sales = await createUnit(aContext(companyId), { parentId: null, name: "Sales" });
  const units = [await ensureRootUnit({ db: db(), companyId }), sales];
  await db()
    .insert(groupUnits)
    .values(units.map((orgUnitId) => ({ groupAddress: support, orgUnitId })));
  const owner = await anAdminSession(companyId, [], true);
  const reader = await anAdminSession(companyId, ["view_groups"]);
  const list = "/console/groups";
  const pageOf = (address: string) => `${list}/${encodeURIComponent(address)}`;
  return [
    { name: "groups-full", path: list, as: owner },
    { name: "groups-empty", path: list, as: empty },
    { name: "groups-loading", path: list, as: owner, before: stallRequests },
    { name: "groups-error", path: list, as: owner, before: failRequests },
    { name: "groups-no-privilege", path: list, as: without },
    { name: "groups-new", path: `${list}/new`, as: owner, act: submitInvalidGroup },
    { name: "groups-suggestions", path: `${list}/new`, as: owner, act: openSuggestions },
    { name: "group-members", path: pageOf(support), as: owner },
    { name: "group-no-members", path: pageOf(old), as: owner },
    { name: "group-large", path: pageOf(all), as: owner },
    { name: "group-access", path: `${pageOf(listed)}?tab=access`, as: owner },
    { name: "group-reader", path: `${pageOf(listed)}?tab=access`, as: reader },
    { name: "group-loading", path: pageOf(support), as: owner, before: stallRequests },
    { name: "group-unknown", path: pageOf(`x${support}`), as: owner },
  ];
}

async function aCompanyWithDomain() {
  const { id } = await aCompany({ name: "Northwind Trading" });
  await aDomain(id, { name: `nw${id.slice(-4)}.example` });
  return id;
}

async function anAdminSession(companyId: string, privileges: Privilege[], isOwner = false) {
  const admin = await anAdmin(companyId, { privileges, isOwner, name: "Ann Lee" });
  return { cookie: await startSession(db(), admin.id) };
}

async function submitInvalidMailbox(page: Page) {
  await page.getByLabel("Address", { exact: true }).fill("ann lee");
  await page.getByRole("textbox", { name: "Name" }).fill("Ann Lee");
  await page.getByRole("button", { name: "Create mailbox" }).click();
  await page.getByText("Address must").waitFor();
}

async function submitInvalidGroup(page: Page) {
  await page.getByLabel("Address").fill("team@elsewhere.example");
  await page.getByRole("combobox", { name: "Members" }).fill("ann@example.com, lou");
  await page.getByRole("button", { name: "Create group" }).click();
  await page.locator("[aria-invalid=true]").first().waitFor();
}

async function openSuggestions(page: Page) {
  await page.getByRole("combobox", { name: "Members" }).fill("nw");
  await page.getByRole("listbox", { name: "Suggestions" }).getByRole("option").first().waitFor();
  await page.keyboard.press("ArrowDown");
}

async function openLinkDialog(page: Page) {
  await page.getByRole("button", { name: "Email a link" }).click();
  await page.getByRole("dialog").getByLabel("Private address").fill("ann.private@example.net");
}

/** Adds calendars to the server's answer. */
function addCollections(page: Page) {
  return page.route("**/console/api/mailboxes/get*", async (route) => {
    const response = await route.fetch();
    const mailbox = (await response.json()) as object;
    const collections = { usedBytes: 190 * 1024 ** 2, quotaMb: 200 };
    await route.fulfill({ response, json: { ...mailbox, collections } });
  });
}

async function openRowMenu(page: Page) {
  await page
    .getByRole("button", { name: /^Actions for/ })
    .nth(1)
    .click();
  await page.getByRole("menuitem").first().waitFor();
}

async function openViews(page: Page) {
  await page.getByRole("button", { name: "Views" }).click();
  await page.getByRole("menuitem").first().waitFor();
}

const openDialogOf = (button: string) => async (page: Page) => {
  await page.getByRole("button", { name: button }).click();
  await page.getByRole("dialog").waitFor();
};

const openDeleteDialog = openDialogOf("Delete mailbox");

async function openSuspendDialog(page: Page) {
  await openDialogOf("Suspend mailbox")(page);
  await page.getByRole("switch", { name: "Send automatic replies" }).click();
}

async function openResetDialog(page: Page) {
  await page.getByRole("button", { name: "Reset password" }).click();
  await page.getByRole("dialog").getByText("Keep app passwords").waitFor();
}

async function resetPassword(page: Page) {
  await openResetDialog(page);
  await page.getByRole("dialog").getByRole("button", { name: "Reset password" }).click();
  await page.getByRole("button", { name: "I’ve saved it" }).waitFor();
}

async function selectAll(page: Page) {
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByText("50 mailboxes selected").waitFor();
}

const selectSome = (act: string) => async (page: Page) => {
  await selectAll(page);
  await page.getByRole("button", { name: act, exact: true }).click();
  await page.getByRole("dialog").getByRole("list").waitFor();
};

async function resetSelectedPasswords(page: Page) {
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Reset passwords", exact: true }).click();
  await page.getByRole("button", { name: /^Reset \d+ password/ }).click();
  await page.getByRole("button", { name: "I’ve saved it" }).waitFor();
}

async function printSheet(page: Page) {
  await page.evaluate(() => {
    window.print = () => {};
  });
  await resetPassword(page);
  await page.getByRole("button", { name: "Print welcome sheet" }).click();
  // Shows the sheet, which is visible only in print.
  const sheet = page.getByLabel(/^Welcome sheet/);
  await sheet.waitFor({ state: "attached" });
  await sheet.evaluate((element) => {
    const shown = "display: block; position: fixed; inset: 0; z-index: 1000; overflow: auto";
    element.parentElement!.style.cssText = shown;
  });
}

const readList = (ann: string) => async (page: Page) => {
  const at = ann.slice(ann.indexOf("@"));
  const lines = [
    "email,name,quota_mb,unit,aliases,phone",
    `maria.silva${at},Maria Silva,10240,Sales / Berlin,`,
    `${ann},Ann Lee,,,`,
    `tom.berg${at},Tom Berg,,Sales,tom${at} berg${at}`,
    `eva${at},Eva,large,Nowhere,`,
    `ok${at},Olga Kern,,,press${at}`,
  ];
  await page.getByLabel("CSV or JSON data").fill(lines.join("\n"));
  await page.getByRole("button", { name: "Continue" }).click();
  await page.getByText("5 lines").waitFor();
};

const tryList = (ann: string) => async (page: Page) => {
  await readList(ann)(page);
  await page.getByRole("button", { name: "Check lines" }).click();
  await page.getByRole("button", { name: /^All lines/ }).click();
};
