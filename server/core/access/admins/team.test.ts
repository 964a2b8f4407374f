import { and, eq } from "drizzle-orm";
import { expect, test } from "vitest";

import {
  adminRoles,
  admins,
  apiKeys,
  auditEntries,
  people,
  sessions,
} from "#drizzle/schema/index.ts";
import { authenticateKey } from "#server/core/access/api-keys/authenticate-key.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, anAdmin, anApiKey } from "#server/testing/factories.ts";
import type { asAdmin } from "#server/testing/team.ts";
import { aManager, anOwner, aRole } from "#server/testing/team.ts";

import { keysOf } from "./keys-of.ts";
import { removeAdmin } from "./remove-admin.ts";
import { switchAccess } from "./switch-access.ts";
import { updateAdmin } from "./update-admin.ts";

const read = async (id: string) => (await db().select().from(admins).where(eq(admins.id, id)))[0];
const rolesHeld = (id: string) => db().$count(adminRoles, eq(adminRoles.adminId, id));
const entries = (companyId: string, action: string) =>
  db()
    .select()
    .from(auditEntries)
    .where(and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, action)));

test("name, roles, owner flag and direct grants change, each with what it was before", async () => {
  const { id: companyId } = await aCompany();
  const owner = await anOwner(companyId);
  const person = await anAdmin(companyId, { name: "Ben", privileges: ["domains", "view_audit"] });
  const former = await aRole(companyId, { name: "Former", holders: [person] });
  const next = await aRole(companyId, { name: "Next" });
  await updateAdmin(owner.ctx, person.id, {
    name: " Ben Ode ",
    isOwner: true,
    roleIds: [next.id],
    expectedRoleIds: [former.id],
    privileges: ["view_audit"],
  });
  expect(await read(person.id)).toMatchObject({
    ...{ name: "Ben Ode", isOwner: true, privileges: ["view_audit"] },
  });
  const [entry] = await entries(companyId, "admin.updated");
  expect(entry).toMatchObject({
    actor: owner.email,
    details: {
      email: person.email,
      changed: {
        name: { from: "Ben", to: "Ben Ode" },
        isOwner: { from: false, to: true },
        privileges: { from: ["domains", "view_audit"], to: ["view_audit"] },
        rolesAdded: ["Next"],
        rolesRemoved: ["Former"],
      },
    },
  });
  await updateAdmin(owner.ctx, person.id, { name: "Ben Ode", roleIds: [next.id] });
  expect(await entries(companyId, "admin.updated")).toHaveLength(1);
});

test("nobody gives what they do not hold, themselves anything, or a privilege beside the roles", async () => {
  const { id: companyId } = await aCompany();
  const manager = await aManager(companyId, ["view_users"]);
  const person = await anAdmin(companyId);
  const more = await aRole(companyId, { name: "More", privileges: ["view_users", "domains"] });
  const same = await aRole(companyId, { name: "Same", privileges: ["view_users"] });
  await expect(updateAdmin(manager.ctx, person.id, { roleIds: [more.id] })).rejects.toThrow(
    "The role More gives Domains, which you do not hold yourself",
  );
  await expect(updateAdmin(manager.ctx, manager.id, { roleIds: [same.id] })).rejects.toThrow(
    /Nobody gives rights to themselves/,
  );
  await expect(updateAdmin(manager.ctx, person.id, { privileges: ["view_users"] })).rejects.toThrow(
    /given through roles/,
  );
  await updateAdmin(manager.ctx, person.id, { roleIds: [same.id] });
  expect(await rolesHeld(person.id)).toBe(1);
});

test("a role of another company cannot be given, and another company's admin does not exist", async () => {
  const { id: companyId } = await aCompany();
  const { id: otherId } = await aCompany();
  const owner = await anOwner(companyId);
  const person = await anAdmin(companyId);
  const foreign = await aRole(otherId);
  const stranger = await anAdmin(otherId);
  await expect(updateAdmin(owner.ctx, person.id, { roleIds: [foreign.id] })).rejects.toThrow(
    /does not exist any more/,
  );
  for (const act of [
    () => updateAdmin(owner.ctx, stranger.id, { name: "x" }),
    () => switchAccess(owner.ctx, stranger.id, false),
    () => removeAdmin(owner.ctx, stranger.id),
  ])
    await expect(act()).rejects.toMatchObject({ reason: "not_found" });
});

test("only an owner changes owners or makes one", async () => {
  const { id: companyId } = await aCompany();
  const owner = await anOwner(companyId);
  await anOwner(companyId);
  const manager = await aManager(companyId);
  const person = await anAdmin(companyId);
  for (const act of [
    () => updateAdmin(manager.ctx, person.id, { isOwner: true }),
    () => updateAdmin(manager.ctx, owner.id, { name: "x" }),
    () => updateAdmin(manager.ctx, owner.id, { isOwner: false }),
    () => switchAccess(manager.ctx, owner.id, false),
    () => removeAdmin(manager.ctx, owner.id),
  ])
    await expect(act()).rejects.toMatchObject({ reason: "invalid_permission" });
  expect(await read(owner.id)).toMatchObject({ isOwner: true, disabledAt: null });
});

test("what was taken from somebody a moment ago is not given away any more", async () => {
  const { id: companyId } = await aCompany();
  const person = await anAdmin(companyId);
  const { ctx, id } = await aManager(companyId);
  await db().update(admins).set({ privileges: [] }).where(eq(admins.id, id));
  for (const act of [
    () => updateAdmin(ctx, person.id, { name: "x" }),
    () => switchAccess(ctx, person.id, false),
    () => removeAdmin(ctx, person.id),
  ])
    await expect(act()).rejects.toMatchObject({ reason: "invalid_permission" });
});

test("two admins who change a person's roles: the second is told, and undoes nothing", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  const person = await anAdmin(companyId);
  const [one, other] = [await aRole(companyId), await aRole(companyId, { name: "Other" })];
  await updateAdmin(ctx, person.id, { roleIds: [one.id], expectedRoleIds: [] });
  await expect(
    updateAdmin(ctx, person.id, { roleIds: [other.id], expectedRoleIds: [] }),
  ).rejects.toMatchObject({ reason: "resource_in_use" });
  expect(await rolesHeld(person.id)).toBe(1);
});

test("the last owner stays: not removed, not switched off, not demoted", async () => {
  const { id: companyId } = await aCompany();
  const owner = await anOwner(companyId);
  const off = await anOwner(companyId);
  await switchAccess(owner.ctx, off.id, false);
  const system = { ...owner.ctx, actor: { kind: "operator", email: "root@example.com" } as const };
  for (const act of [
    () => updateAdmin(owner.ctx, owner.id, { isOwner: false }),
    () => switchAccess(system, owner.id, false),
    () => removeAdmin(system, owner.id),
  ])
    await expect(act()).rejects.toThrow(/last owner/);
  // One whose access is off does not count, and may go.
  await removeAdmin(owner.ctx, off.id);
  expect(await read(owner.id)).toMatchObject({ isOwner: true, disabledAt: null });
});

test.each([
  ["remove", (ctx, id) => removeAdmin(ctx, id)],
  ["switch off", (ctx, id) => switchAccess(ctx, id, false)],
  ["demote", (ctx, id) => updateAdmin(ctx, id, { isOwner: false })],
] as [string, (ctx: ReturnType<typeof asAdmin>, id: string) => Promise<unknown>][])(
  "of two owners who %s each other at the same moment one stays",
  async (_, act) => {
    // Often, since it is about a moment.
    for (let round = 0; round < 5; round++) {
      const { id: companyId } = await aCompany();
      const [one, other] = [await anOwner(companyId), await anOwner(companyId)];
      const results = await Promise.allSettled([act(one.ctx, other.id), act(other.ctx, one.id)]);
      expect(results.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected"]);
      const left = await db()
        .select()
        .from(admins)
        .where(and(eq(admins.companyId, companyId), admins.isOwner));
      expect(left.filter(({ disabledAt }) => disabledAt === null)).toHaveLength(1);
    }
  },
);

test("nobody shuts themselves out", async () => {
  const { id: companyId } = await aCompany();
  await anOwner(companyId);
  const owner = await anOwner(companyId);
  await expect(switchAccess(owner.ctx, owner.id, false)).rejects.toThrow(/your own access/);
  await expect(removeAdmin(owner.ctx, owner.id)).rejects.toThrow(/remove yourself/);
});

test("access that is switched off ends sessions at once and refuses keys, until it is on again", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  const person = await anAdmin(companyId);
  await startSession(db(), person.id);
  const key = await anApiKey(companyId, { creatorId: person.id });
  const use = () => authenticateKey(db(), { token: key.token, address: "192.0.2.1" });
  await switchAccess(ctx, person.id, false);
  await switchAccess(ctx, person.id, false);
  expect(await db().$count(sessions, eq(sessions.userId, person.id))).toBe(0);
  await expect(use()).rejects.toMatchObject({ reason: "invalid_api_key" });
  await switchAccess(ctx, person.id, true);
  await expect(use()).resolves.toMatchObject({ keyId: key.id });
  expect(await entries(companyId, "admin.disabled")).toHaveLength(1);
  expect(await entries(companyId, "admin.enabled")).toHaveLength(1);
});

test("access is given back only by somebody who holds as much", async () => {
  const { id: companyId } = await aCompany();
  const owner = await anOwner(companyId);
  const manager = await aManager(companyId, ["view_users"]);
  const direct = await anAdmin(companyId, { privileges: ["domains"] });
  const byRole = await anAdmin(companyId);
  await aRole(companyId, { name: "Doors", privileges: ["domains"], holders: [byRole] });
  const same = await anAdmin(companyId, { privileges: ["view_users"] });
  for (const { id } of [direct, byRole, same]) await switchAccess(owner.ctx, id, false);
  await expect(switchAccess(manager.ctx, direct.id, true)).rejects.toThrow(
    "This person's access gives Domains, which you do not hold yourself",
  );
  await expect(switchAccess(manager.ctx, byRole.id, true)).rejects.toThrow(/The role Doors gives/);
  expect((await read(byRole.id))!.disabledAt).not.toBeNull();
  await switchAccess(manager.ctx, same.id, true);
  await switchAccess(owner.ctx, direct.id, true);
  expect((await read(direct.id))!.disabledAt).toBeNull();
});

test("who is removed leaves revoked keys behind, which stay as rows, and no person", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  const person = await anAdmin(companyId, { name: "Ben" });
  const key = await anApiKey(companyId, { creatorId: person.id });
  expect(await keysOf(ctx, person.id)).toMatchObject([{ id: key.id, scheduledEmails: 0 }]);
  expect(await removeAdmin(ctx, person.id)).toEqual([key.id]);
  const [kept] = await db().select().from(apiKeys).where(eq(apiKeys.id, key.id));
  expect(kept).toMatchObject({ creatorId: null, revokedAt: expect.any(String) as string });
  expect(await db().$count(people, eq(people.email, person.email))).toBe(0);
  expect(await entries(companyId, "api_key.revoked")).toHaveLength(1);
  expect((await entries(companyId, "admin.removed"))[0]!.details).toMatchObject({
    ...{ email: person.email, name: "Ben", revokedKeys: 1 },
  });
});

test("a person of several companies, and one who runs the instance, outlive a company", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  const operator = await anAdmin(companyId, { isOperator: true });
  const shared = await anAdmin(companyId);
  const elsewhere = await anAdmin((await aCompany()).id, { email: shared.email });
  const key = await anApiKey(elsewhere.companyId, { creatorId: elsewhere.id });
  await removeAdmin(ctx, operator.id);
  await removeAdmin(ctx, shared.id);
  for (const email of [operator.email, shared.email])
    expect(await db().$count(people, eq(people.email, email))).toBe(1);
  expect(await read(elsewhere.id)).toBeDefined();
  await expect(
    authenticateKey(db(), { token: key.token, address: "192.0.2.1" }),
  ).resolves.toBeDefined();
});
