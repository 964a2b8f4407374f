import type { Page } from "@playwright/test";

import { deletedItems } from "#drizzle/schema/index.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, anAdmin } from "#server/testing/factories.ts";

import { failRequests, stallRequests, type Shot } from "./screenshot.ts";

const DAY_MS = 86_400_000;
const MB = 1024 * 1024;

/** What was deleted: one item of each kind, days apart. */
export async function deletedItemsOfEachKind(companyId: string): Promise<void> {
  const { id: domainId, name } = await aDomain(companyId);
  const item = (
    daysAgo: number,
    rest: Pick<typeof deletedItems.$inferInsert, "kind" | "name"> &
      Partial<typeof deletedItems.$inferInsert>,
  ) => ({
    companyId,
    domainId,
    isReserved: true,
    contents: {},
    deletedBy: "ben@northwind.example",
    createdAt: new Date(Date.now() - daysAgo * DAY_MS).toISOString(),
    ...rest,
  });
  const mailbox = { kind: "mailbox", store: `${name}/ann-1`, messages: 18_204 } as const;
  await db()
    .insert(deletedItems)
    .values([
      item(0.01, {
        ...mailbox,
        name: `ann.okafor@${name}`,
        title: "Ann Okafor",
        storageBytes: 9_400 * MB,
      }),
      item(1.2, { kind: "alias", name: `orders@${name}`, title: `ann.okafor@${name}` }),
      item(6, { kind: "group", name: `team@${name}`, title: "Team", deletedBy: "API key HR sync" }),
      item(12, { kind: "domain", name: "northwind-trading-international.example" }),
      item(19.6, {
        ...mailbox,
        store: `${name}/b-1`,
        messages: 12,
        storageBytes: 2 * MB,
        name: `b@${name}`,
        title: "Ben Sørensen",
      }),
    ]);
}

/** The page Deleted in every state. */
export async function deletedShots(): Promise<Shot[]> {
  const { id: companyId } = await aCompany({ name: "Northwind Trading" });
  await deletedItemsOfEachKind(companyId);
  const session = await anOwner(companyId);
  const empty = await anOwner((await aCompany({ name: "Northwind Trading" })).id);
  const without = await anOwner(companyId, { isOwner: false });
  const path = "/console/deleted";
  return [
    { name: "deleted-full", path, as: session },
    { name: "deleted-dialog", path, as: session, act: openDialog },
    { name: "deleted-empty", path, as: empty },
    { name: "deleted-loading", path, as: session, before: stallRequests },
    { name: "deleted-error", path, as: session, before: failRequests },
    { name: "deleted-no-privilege", path, as: without },
  ];
}

async function anOwner(companyId: string, { isOwner = true } = {}) {
  const admin = await anAdmin(companyId, { isOwner, name: "Ann Lee" });
  return { cookie: await startSession(db(), admin.id) };
}

async function openDialog(page: Page) {
  await page
    .getByRole("button", { name: /^Actions for/ })
    .first()
    .click();
  await page.getByRole("menuitem").click();
  await page.getByRole("dialog").waitFor();
}
