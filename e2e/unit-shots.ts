import type { Page } from "@playwright/test";

import type { Privilege } from "#server/universal/privileges.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aSessionOfRole } from "#server/testing/console-mailboxes.ts";
import { aCompany, aDomain, anAdmin } from "#server/testing/factories.ts";

import { manyUnits } from "./seed-mailboxes.ts";
import { failRequests, stallRequests, type Shot } from "./screenshot.ts";

export async function unitShots(): Promise<Shot[]> {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  await aDomain(companyId, { name: `units${companyId.slice(-4)}.example` });
  const { root, berlin, sales, desk } = await manyUnits(companyId);
  const manager = await anAdminSession(companyId, ["view_users", "manage_settings"]);
  const reader = await anAdminSession(companyId, ["view_users"]);
  const without = await anAdminSession(companyId, ["api_controls"]);
  const ofSales = { cookie: await aSessionOfRole(companyId, sales) };
  const { id: bare } = await aCompany({ name: "Northwind Trading" });
  const first = await anAdminSession(bare, ["view_users", "manage_settings"]);
  const at = (id: number) => `/console/units?unit=${id}`;
  return [
    { name: "units-full", path: at(berlin), as: manager },
    { name: "units-root", path: at(root), as: manager },
    { name: "units-reader", path: at(desk), as: reader },
    { name: "units-limited", path: at(sales), as: ofSales },
    { name: "units-first", path: "/console/units", as: first },
    { name: "units-loading", path: "/console/units", as: manager, before: stallRequests },
    { name: "units-error", path: "/console/units", as: manager, before: failRequests },
    { name: "units-no-privilege", path: "/console/units", as: without },
    { name: "units-create", path: at(berlin), as: manager, act: open("Create unit") },
    { name: "units-changes", path: at(berlin), as: manager, act: blockImap },
    { name: "units-move", path: at(berlin), as: manager, act: open("Move") },
  ];
}

async function anAdminSession(companyId: string, privileges: Privilege[]) {
  const admin = await anAdmin(companyId, { privileges, name: "Ann Lee" });
  return { cookie: await startSession(db(), admin.id) };
}

const open = (name: string) => async (page: Page) => {
  await page.getByRole("button", { name, exact: true }).click();
  await page.getByRole("dialog").waitFor();
};

async function blockImap(page: Page) {
  await page.getByRole("combobox", { name: "IMAP access" }).selectOption("Not allowed");
  await page.getByRole("group", { name: "Unsaved changes" }).waitFor();
}
