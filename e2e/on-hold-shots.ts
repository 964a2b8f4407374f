import type { Page } from "@playwright/test";

import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { aMailboxOnHold } from "./seed-on-hold.ts";
import { failRequests, stallRequests, type Shot } from "./screenshot.ts";

/** Mail on hold: one mailbox, none, and both decisions. */
export async function onHoldShots(): Promise<Shot[]> {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  await aMailboxOnHold(companyId);
  const session = await anAdminSession(companyId, ["reset_user_passwords"]);
  const empty = await anAdminSession((await aCompany()).id, ["reset_user_passwords"]);
  const path = "/console/on-hold";
  return [
    { name: "on-hold", path, as: session },
    { name: "on-hold-none", path, as: empty },
    { name: "on-hold-loading", path, as: session, before: stallRequests },
    { name: "on-hold-error", path, as: session, before: failRequests },
    { name: "on-hold-no-privilege", path, as: await anAdminSession(companyId, ["domains"]) },
    { name: "on-hold-release", path, as: session, act: press("Release messages") },
    { name: "on-hold-contain", path, as: session, act: press("Secure mailbox") },
  ];
}

async function anAdminSession(companyId: string, privileges: string[]) {
  const admin = await anAdmin(companyId, { privileges, name: "Ann Lee" });
  return { cookie: await startSession(db(), admin.id) };
}

const press = (name: string) => async (page: Page) => {
  await page.getByRole("button", { name }).click();
  await page.getByRole("dialog").waitFor();
};
