import { expect, test } from "vitest";

import { adminRoles, roles } from "#drizzle/schema/index.ts";
import { createUnit as makeUnit } from "#server/core/mailboxes/org-units/units.ts";
import { moveMailbox } from "#server/core/mailboxes/mailboxes/mailboxes.ts";
import type { Privilege } from "#server/universal/privileges.ts";
import { findSignedIn, startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aMailCompany } from "#server/testing/console-mailboxes.ts";
import { aContext, anAdmin } from "#server/testing/factories.ts";

import { unitsConsole } from "./units.ts";

/** An admin who may reset passwords in Sales only and has `privileges` in the whole company. */
async function anAdminWithUnitRole(privileges: Privilege[]) {
  const company = await aMailCompany();
  const { companyId, sales: orgUnitId } = company;
  const { id: adminId } = await anAdmin(companyId, { privileges });
  const [role] = await db()
    .insert(roles)
    .values({ companyId, name: "Desk", privileges: ["reset_user_passwords"], orgUnitId })
    .returning();
  await db().insert(adminRoles).values({ adminId, roleId: role!.id });
  const cookie = (await startSession(db(), adminId)).split(";")[0]!;
  const callerPrivileges = (await findSignedIn(db(), cookie))!;
  return { ...company, cookie, callerPrivileges, ctx: aContext(companyId) };
}

test("an admin can't move a unit to where they have more privileges over its mailboxes", async () => {
  const { ctx, cookie, sales, root } = await anAdminWithUnitRole(["view_users", "manage_settings"]);
  const board = await makeUnit(ctx, { parentId: root, name: "Board" });
  const move = (id: number, parentId: number, as = cookie) =>
    call(unitsConsole.update, {
      cookie: as,
      params: { id: String(id) },
      body: { parentId },
    });

  expect(await move(board, sales)).toMatchObject({
    status: 403,
    body: { message: expect.stringContaining("Reset mailbox passwords") as string },
  });
  const owner = await anAdmin(ctx.companyId, { isOwner: true });
  const ownerCookie = (await startSession(db(), owner.id)).split(";")[0]!;
  expect(await move(board, sales, ownerCookie)).toMatchObject({ status: 200 });
  expect(await move(board, root)).toMatchObject({ status: 200 });
});

test("an admin can't move a mailbox to where they have more privileges over it", async () => {
  const { ctx, callerPrivileges, sales, root, inRoot, inSales } = await anAdminWithUnitRole([
    "view_users",
    "update_users",
  ]);

  await expect(moveMailbox(ctx, callerPrivileges, inRoot, sales)).rejects.toMatchObject({
    reason: "invalid_permission",
  });
  await moveMailbox(ctx, callerPrivileges, inSales, root);
});
