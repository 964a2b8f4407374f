import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { admins, auditEntries, roles } from "#drizzle/schema/index.ts";
import { createUnit } from "#server/core/mailboxes/org-units/units.ts";
import { UNIT_PRIVILEGES } from "#server/universal/privileges.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aContext, anAdmin } from "#server/testing/factories.ts";
import { aManager, anOwner, aRole } from "#server/testing/team.ts";

import { createRole, deleteRole, getRole, listRoles, updateRole } from "./roles.ts";

const HELPDESK = { name: "Helpdesk", privileges: ["view_users"], orgUnitId: null as number | null };
const unitIn = (companyId: string, name = "Sales") =>
  createUnit(aContext(companyId), { parentId: null, name });
const detailsOf = async (companyId: string, action: string) => {
  const isRole = and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, action));
  return (await db().select().from(auditEntries).where(isRole)).map(({ details }) => details);
};

test("creates, changes and deletes a role, and audits who lost which privileges", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  const id = await createRole(ctx, { ...HELPDESK, name: " Helpdesk " });
  const person = await anAdmin(companyId);
  await aRole(companyId, { name: "Other", holders: [person] });
  const written = { ...HELPDESK, name: "Desk", privileges: ["view_users", "view_groups"] };
  await updateRole(ctx, id, { written, expected: HELPDESK });
  expect(await getRole(ctx, id)).toMatchObject({ ...written, holders: [] });
  const [other] = (await listRoles(ctx)).filter(({ name }) => name === "Other");
  expect(other!.holders.map(({ email }) => email)).toEqual([person.email]);
  await deleteRole(ctx, other!.id);
  expect((await listRoles(ctx)).map(({ name }) => name)).toEqual(["Desk"]);
  expect(await detailsOf(companyId, "role.updated")).toMatchObject([
    {
      name: "Helpdesk",
      changed: {
        name: { from: "Helpdesk", to: "Desk" },
        privileges: { from: ["view_users"], to: ["view_users", "view_groups"] },
      },
    },
  ]);
  expect(await detailsOf(companyId, "role.deleted")).toMatchObject([{ lostBy: [person.email] }]);
});

test.each([
  ["name", { name: " " }],
  ["name", { name: "x".repeat(61) }],
  ["privileges", { privileges: [] }],
  ["privileges", { privileges: ["view_users", "owner"] }],
  ["unit_id", { orgUnitId: 1_000_000 }],
])("rejects an invalid %s", async (field, change) => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  await expect(createRole(ctx, { ...HELPDESK, ...change })).rejects.toThrow(
    new RegExp(`^${field}: `),
  );
});

test("limits a unit role to mailbox privileges and to the company's units", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  const unit = await unitIn(companyId);
  const foreign = await unitIn((await aCompany()).id);
  await createRole(ctx, { ...HELPDESK, privileges: [...UNIT_PRIVILEGES], orgUnitId: unit });
  await expect(
    createRole(ctx, { name: "More", privileges: ["domains"], orgUnitId: unit }),
  ).rejects.toThrow(/^privileges: a role for one unit can't include Domains/);
  await expect(createRole(ctx, { ...HELPDESK, orgUnitId: foreign })).rejects.toThrow(/^unit_id: /);
});

test("rejects a second role with the same name, ignoring case", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  await createRole(ctx, HELPDESK);
  await expect(createRole(ctx, { ...HELPDESK, name: "HELPDESK" })).rejects.toMatchObject({
    reason: "already_exists",
  });
});

test("rejects creating or extending a role with privileges the caller lacks", async () => {
  const { id: companyId } = await aCompany();
  const unit = await unitIn(companyId);
  const manager = await aManager(companyId, ["view_users"]);
  const ofUnit = await aRole(companyId, { privileges: ["update_users"], orgUnitId: unit });
  await db()
    .update(admins)
    .set({ privileges: ["manage_admins", "view_users"] })
    .where(eq(admins.id, manager.id));
  const refused = { reason: "not_allowed" };
  const create = (privileges: string[], orgUnitId: number | null = null) =>
    createRole(manager.ctx, { name: "Mine", privileges, orgUnitId });
  await expect(create(["view_users", "domains"])).rejects.toMatchObject(refused);
  await expect(create(["update_users"], unit)).rejects.toMatchObject(refused);
  const before = { name: ofUnit.name, privileges: ofUnit.privileges, orgUnitId: unit };
  const update = (change: Partial<typeof before> | { orgUnitId: null }) =>
    updateRole(manager.ctx, ofUnit.id, { written: { ...before, ...change }, expected: before });
  await expect(update({ orgUnitId: null })).rejects.toMatchObject(refused);
  await expect(update({ privileges: ["update_users", "suspend_users"] })).rejects.toMatchObject(
    refused,
  );
  // Privileges already in the role needn't be the caller's; only new ones must be.
  await update({ privileges: ["update_users", "view_users"] });
  await create(["view_users"], unit);
});

test("lets a unit's admin grant privileges only in that unit and its subunits", async () => {
  const { id: companyId } = await aCompany();
  const sales = await unitIn(companyId);
  const below = await createUnit(aContext(companyId), { parentId: sales, name: "North" });
  const other = await unitIn(companyId, "Other");
  const manager = await aManager(companyId);
  await aRole(companyId, { privileges: ["view_users"], orgUnitId: sales, holders: [manager] });
  const create = (orgUnitId: number | null) =>
    createRole(manager.ctx, { name: `Of ${orgUnitId}`, privileges: ["view_users"], orgUnitId });
  await create(sales);
  await create(below);
  await expect(create(other)).rejects.toThrow(/don't have in that unit/);
  await expect(create(null)).rejects.toThrow(/don't have$/);
});

test("rejects the second of two concurrent role changes", async () => {
  const { id: companyId } = await aCompany();
  const [one, other] = [await anOwner(companyId), await anOwner(companyId)];
  const id = await createRole(one.ctx, HELPDESK);
  const change = (ctx: typeof one.ctx, privilege: string) =>
    updateRole(ctx, id, {
      written: { ...HELPDESK, privileges: ["view_users", privilege] },
      expected: HELPDESK,
    });
  const results = await Promise.allSettled([
    change(one.ctx, "view_groups"),
    change(other.ctx, "domains"),
  ]);
  const [refused] = results.filter((result) => result.status === "rejected");
  expect(refused?.reason).toMatchObject({ reason: "resource_in_use" });
  expect(results.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  expect((await getRole(one.ctx, id)).privileges).toHaveLength(2);
});

test("rejects another company's roles, and callers who can't manage admins", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  const foreign = await aRole((await aCompany()).id);
  const expected = { ...HELPDESK };
  for (const act of [
    () => updateRole(ctx, foreign.id, { written: HELPDESK, expected }),
    () => deleteRole(ctx, foreign.id),
    () => getRole(ctx, foreign.id),
  ])
    await expect(act()).rejects.toMatchObject({ reason: "not_found" });
  const manager = await aManager(companyId, ["view_users"]);
  await db()
    .update(admins)
    .set({ privileges: ["view_users"] })
    .where(eq(admins.id, manager.id));
  await expect(createRole(manager.ctx, HELPDESK)).rejects.toMatchObject({
    reason: "invalid_permission",
  });
  expect(await db().$count(roles, eq(roles.companyId, companyId))).toBe(0);
});
