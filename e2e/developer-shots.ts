import type { Page } from "@playwright/test";

import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, anAdmin } from "#server/testing/factories.ts";

import { seedApiKeys, seedRequests, seedSuppressions } from "./seed-developer.ts";
import { failRequests, stallRequests, type Shot } from "./screenshot.ts";

/** Screenshots of the API key, log and suppression pages in all states. */
export async function developerShots(): Promise<Shot[]> {
  const allowedAddresses = ["127.0.0.1", "203.0.113.0/24"];
  const { id: companyId } = await aCompany({ name: "Northwind Trading", allowedAddresses });
  const domain = await aDomain(companyId, {
    name: `mail-${companyId.slice(-4)}.northwind.example`,
  });
  const ann = await anAdmin(companyId, { privileges: ["api_controls"], name: "Ann Lee" });
  const person = { cookie: await startSession(db(), ann.id) };
  const keys = await seedApiKeys(companyId, ann.id, domain.id);
  const requests = await seedRequests(companyId, 70, keys.billing.id);
  await seedSuppressions(companyId, 45);
  const without = await anAdminSession(companyId, ["domains"]);
  const empty = await anAdminSession((await aCompany({ name: "Northwind Trading" })).id, [
    "api_controls",
  ]);
  const [keyList, logList, list] = ["api-keys", "logs", "suppressions"].map(
    (page) => `/console/${page}`,
  ) as [string, string, string];
  const states = (name: string, path: string): Shot[] => [
    { name: `${name}-full`, path, as: person },
    { name: `${name}-empty`, path, as: empty },
    { name: `${name}-loading`, path, as: person, before: stallRequests },
    { name: `${name}-error`, path, as: person, before: failRequests },
    { name: `${name}-no-privilege`, path, as: without },
  ];
  return [
    ...states("api-keys", keyList),
    { name: "api-keys-revoked", path: `${keyList}?state=revoked`, as: person },
    { name: "api-keys-new", path: `${keyList}/new`, as: person },
    { name: "api-keys-new-errors", path: `${keyList}/new`, as: person, act: createInvalid },
    { name: "api-keys-new-secret", path: `${keyList}/new`, as: empty, act: create },
    { name: "api-key-detail", path: `${keyList}/${keys.billing.id}`, as: person },
    { name: "api-key-revoked", path: `${keyList}/${keys.old.id}`, as: person },
    {
      name: "api-key-revoke",
      path: `${keyList}/${keys.shop.id}`,
      as: person,
      act: openRevokeDialog,
    },
    {
      name: "api-key-loading",
      path: `${keyList}/${keys.shop.id}`,
      as: person,
      before: stallRequests,
    },
    ...states("logs", logList),
    { name: "logs-filtered", path: `${logList}?status=422&userAgent=resend`, as: person },
    { name: "logs-no-results", path: `${logList}?endpoint=/nowhere`, as: person },
    { name: "log-error", path: `${logList}/${requests[4]!.id}`, as: person },
    { name: "log-not-found", path: `${logList}/${requests[2]!.id}`, as: person },
    { name: "log-success", path: `${logList}/${requests[0]!.id}`, as: person },
    ...states("suppressions", list),
    { name: "suppressions-selected", path: list, as: person, act: selectAll },
    { name: "suppressions-no-results", path: `${list}?search=nowhere`, as: person },
    { name: "suppressions-add", path: list, as: person, act: openAddDialog },
    { name: "suppressions-added", path: list, as: person, act: add },
    { name: "suppressions-import", path: `${list}/import`, as: person },
    { name: "suppressions-import-preview", path: `${list}/import`, as: person, act: chooseFile },
    { name: "suppressions-import-stopped", path: `${list}/import`, as: person, act: failFile },
    { name: "suppressions-import-done", path: `${list}/import`, as: person, act: importFile },
  ];
}

async function anAdminSession(companyId: string, privileges: string[]) {
  const admin = await anAdmin(companyId, { privileges, name: "Ann Lee" });
  return { cookie: await startSession(db(), admin.id) };
}

async function createInvalid(page: Page) {
  await page.getByLabel("Name").fill("Shop");
  await page.getByLabel("Allowed IP addresses").fill("203.0.113.7\n10.0.0/8");
  await page.getByRole("button", { name: "Create API key" }).click();
  await page.getByText("is neither an IP address").waitFor();
}

async function create(page: Page) {
  await page.getByLabel("Name").fill("Shop");
  await page.getByRole("button", { name: "Create API key" }).click();
  await page.getByRole("dialog").getByText("ph_").first().waitFor();
  await page.getByRole("dialog").getByRole("tab").first().waitFor();
}

async function openRevokeDialog(page: Page) {
  await page.getByRole("button", { name: "Revoke key" }).click();
  await page.getByRole("dialog").getByRole("textbox").waitFor();
}

async function selectAll(page: Page) {
  await page.getByRole("checkbox", { name: "Select all on this page" }).check();
  await page.getByRole("button", { name: "Remove from list" }).waitFor();
}

async function openAddDialog(page: Page) {
  await page.getByRole("button", { name: "Add suppressions" }).click();
  await page.getByRole("dialog").getByRole("textbox").waitFor();
}

async function add(page: Page) {
  await openAddDialog(page);
  const addresses =
    "ann@example.org\nnot-an-address\na.very.long.address.that.wraps@mail.northwind.example";
  await page.getByRole("dialog").getByRole("textbox").fill(addresses);
  await page.getByRole("dialog").getByRole("button", { name: "Add suppressions" }).click();
  await page.getByRole("button", { name: "Done" }).waitFor();
}

const FILE = [
  "email",
  "ann@example.org",
  "not-an-address",
  "=1+1",
  "ben@example.org",
  "ben@example.org",
];

async function setFile(page: Page) {
  const buffer = Buffer.from([...FILE, `p${Date.now()}@example.org`].join("\n"));
  await page
    .getByLabel("File with addresses")
    .setInputFiles({ name: "left-the-newsletter.csv", mimeType: "text/csv", buffer });
}

async function chooseFile(page: Page) {
  await setFile(page);
  await page.getByRole("button", { name: /^Import \d/ }).waitFor();
}

async function failFile(page: Page) {
  await page.route("**/suppressions/checkList", (route) => route.abort());
  await setFile(page);
  await page.getByRole("button", { name: "Continue" }).waitFor();
}

async function importFile(page: Page) {
  await chooseFile(page);
  await page.getByRole("button", { name: /^Import \d/ }).click();
  await page.getByRole("link", { name: "View suppressions" }).waitFor();
}
