import type { Page } from "@playwright/test";

import { startSession } from "#server/core/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, anAdmin } from "#server/testing/factories.ts";

import { aHeldMailbox } from "./seed-held.ts";
import { answerWithFailure, neverAnswer, type Shot } from "./shot.ts";

/** Held mail: one mailbox, none, and both ways out. */
export async function heldShots(): Promise<Shot[]> {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  await aHeldMailbox(companyId);
  const person = await aPerson(companyId, ["reset_user_passwords"]);
  const empty = await aPerson((await aCompany()).id, ["reset_user_passwords"]);
  const path = "/console/held";
  return [
    { name: "held", path, as: person },
    { name: "held-none", path, as: empty },
    { name: "held-loading", path, as: person, before: neverAnswer },
    { name: "held-error", path, as: person, before: answerWithFailure },
    { name: "held-no-privilege", path, as: await aPerson(companyId, ["domains"]) },
    { name: "held-release", path, as: person, act: press("Release the mail") },
    { name: "held-contain", path, as: person, act: press("Contain the mailbox") },
  ];
}

async function aPerson(companyId: string, privileges: string[]) {
  const admin = await anAdmin(companyId, { privileges, name: "Ann Lee" });
  return { cookie: await startSession(db(), admin.id) };
}

const press = (name: string) => async (page: Page) => {
  await page.getByRole("button", { name }).click();
  await page.getByRole("dialog").waitFor();
};
