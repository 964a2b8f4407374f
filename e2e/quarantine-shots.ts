import type { Page } from "@playwright/test";

import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { quarantinedMessages } from "./seed-quarantine.ts";
import { failRequests, stallRequests, type Shot } from "./screenshot.ts";

/** The quarantine in every state, and one message for each reason. */
export async function quarantineShots(): Promise<Shot[]> {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  const { spam, virus, post } = await quarantinedMessages(companyId);
  const session = await anAdminSession(companyId, ["update_users", "manage_groups"]);
  const without = await anAdminSession(companyId, ["domains"]);
  const empty = await anAdminSession((await aCompany({ name: "Northwind Trading" })).id, [
    "update_users",
  ]);
  const list = "/console/quarantine";
  return [
    { name: "quarantine-full", path: list, as: session },
    { name: "quarantine-selected", path: list, as: session, act: selectFirst },
    { name: "quarantine-no-results", path: `${list}?search=nobody`, as: session },
    { name: "quarantine-empty", path: list, as: empty },
    { name: "quarantine-loading", path: list, as: session, before: stallRequests },
    { name: "quarantine-error", path: list, as: session, before: failRequests },
    { name: "quarantine-no-privilege", path: list, as: without },
    { name: "quarantine-spam", path: `${list}/${spam}`, as: session },
    { name: "quarantine-virus", path: `${list}/${virus}`, as: session, act: openReleaseDialog },
    { name: "quarantine-post", path: `${list}/${post}`, as: session },
  ];
}

async function anAdminSession(companyId: string, privileges: string[]) {
  const admin = await anAdmin(companyId, { privileges, name: "Ann Lee" });
  return { cookie: await startSession(db(), admin.id) };
}

async function selectFirst(page: Page) {
  await page.getByRole("checkbox").first().check();
}

async function openReleaseDialog(page: Page) {
  await page.getByRole("button", { name: "Release" }).click();
  await page.getByRole("dialog").waitFor();
}
