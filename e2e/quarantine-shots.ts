import type { Page } from "@playwright/test";

import { startSession } from "#server/core/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { heldMessages } from "./seed-quarantine.ts";
import { answerWithFailure, neverAnswer, type Shot } from "./shot.ts";

/** The quarantine, and what is held in it for each reason. */
export async function quarantineShots(): Promise<Shot[]> {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  const { spam, virus, post } = await heldMessages(companyId);
  const person = await aPerson(companyId, ["update_users", "manage_groups"]);
  const without = await aPerson(companyId, ["domains"]);
  const empty = await aPerson((await aCompany({ name: "Northwind Trading" })).id, ["update_users"]);
  const list = "/console/quarantine";
  return [
    { name: "quarantine-full", path: list, as: person },
    { name: "quarantine-chosen", path: list, as: person, act: choose },
    { name: "quarantine-none-fits", path: `${list}?search=nobody`, as: person },
    { name: "quarantine-empty", path: list, as: empty },
    { name: "quarantine-loading", path: list, as: person, before: neverAnswer },
    { name: "quarantine-error", path: list, as: person, before: answerWithFailure },
    { name: "quarantine-no-privilege", path: list, as: without },
    { name: "quarantine-spam", path: `${list}/${spam}`, as: person },
    { name: "quarantine-virus", path: `${list}/${virus}`, as: person, act: askToRelease },
    { name: "quarantine-post", path: `${list}/${post}`, as: person },
  ];
}

async function aPerson(companyId: string, privileges: string[]) {
  const admin = await anAdmin(companyId, { privileges, name: "Ann Lee" });
  return { cookie: await startSession(db(), admin.id) };
}

async function choose(page: Page) {
  await page.getByRole("checkbox").first().check();
}

async function askToRelease(page: Page) {
  await page.getByRole("button", { name: "Release" }).click();
  await page.getByRole("dialog").waitFor();
}
