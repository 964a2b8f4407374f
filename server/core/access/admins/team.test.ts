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

import { listAdminKeys } from "./team.ts";
import { removeAdmin, setAdminAccess, updateAdmin } from "./admins.ts";

const read = async (id: string) => (await db().select().from(admins).where(eq(admins.id, id)))[0];
const rolesHeld = (id: string) => db().$count(adminRoles, eq(adminRoles.adminId, id));
const entries = (companyId: string, action: string) =>
  db()
    .select()
    .from(auditEntries)
    .where(and(eq(auditEntries.companyId, companyId), eq(auditEntries.action, action)));

test("updates name, roles, owner flag and direct privileges, and audits the previous values", async () => {
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
    name: "Ben Ode",
    isOwner: true,
    privileges: ["view_audit"],
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

test("rejects granting privileges the caller lacks, roles to oneself, and direct privileges", async () => {
  const { id: companyId } = await aCompany();
  const manager = await aManager(companyId, ["view_users"]);
  const person = await anAdmin(companyId);
  const more = await aRole(companyId, { name: "More", privileges: ["view_users", "domains"] });
  const same = await aRole(companyId, { name: "Same", privileges: ["view_users"] });
  await expect(updateAdmin(manager.ctx, person.id, { roleIds: [more.id] })).rejects.toThrow(
    "The role More includes Domains, which you don't have",
  );
  await expect(updateAdmin(manager.ctx, manager.id, { roleIds: [same.id] })).rejects.toThrow(
    /You can't add roles to yourself/,
  );
  await expect(updateAdmin(manager.ctx, person.id, { privileges: ["view_users"] })).rejects.toThrow(
    /through roles/,
  );
  await updateAdmin(manager.ctx, person.id, { roleIds: [same.id] });
  expect(await rolesHeld(person.id)).toBe(1);
});

test("rejects roles and admins of another company", async () => {
  const { id: companyId } = await aCompany();
  const { id: otherId } = await aCompany();
  const owner = await anOwner(companyId);
  const person = await anAdmin(companyId);
  const foreign = await aRole(otherId);
  const stranger = await anAdmin(otherId);
  await expect(updateAdmin(owner.ctx, person.id, { roleIds: [foreign.id] })).rejects.toThrow(
    /no longer exists/,
  );
  for (const act of [
    () => updateAdmin(owner.ctx, stranger.id, { name: "x" }),
    () => setAdminAccess(owner.ctx, stranger.id, false),
    () => removeAdmin(owner.ctx, stranger.id),
  ])
    await expect(act()).rejects.toMatchObject({ reason: "not_found" });
});

test("lets only owners change or create owners", async () => {
  const { id: companyId } = await aCompany();
  const owner = await anOwner(companyId);
  await anOwner(companyId);
  const manager = await aManager(companyId);
  const person = await anAdmin(companyId);
  for (const act of [
    () => updateAdmin(manager.ctx, person.id, { isOwner: true }),
    () => updateAdmin(manager.ctx, owner.id, { name: "x" }),
    () => updateAdmin(manager.ctx, owner.id, { isOwner: false }),
    () => setAdminAccess(manager.ctx, owner.id, false),
    () => removeAdmin(manager.ctx, owner.id),
  ])
    await expect(act()).rejects.toMatchObject({ reason: "invalid_permission" });
  expect(await read(owner.id)).toMatchObject({ isOwner: true, disabledAt: null });
});

test("doesn't make an admin with an unconfirmed address an owner, or name their other companies", async () => {
  const { id: companyId } = await aCompany();
  const owner = await anOwner(companyId);
  const { id, email } = await anAdmin(companyId, { emailProvenAt: null });
  await anAdmin((await aCompany({ name: "Contoso" })).id, { email });
  const promoting = updateAdmin(owner.ctx, id, { isOwner: true });
  await expect(promoting).rejects.toMatchObject({ reason: "not_allowed" });
  await expect(promoting).rejects.not.toThrow("Contoso");
  expect(await read(id)).toMatchObject({ isOwner: false });
  await db().update(people).set({ emailProvenAt: "2026-01-01" }).where(eq(people.email, email));
  await updateAdmin(owner.ctx, id, { isOwner: true });
  expect(await read(id)).toMatchObject({ isOwner: true });
});

test("rejects granting a privilege that the caller just lost", async () => {
  const { id: companyId } = await aCompany();
  const person = await anAdmin(companyId);
  const { ctx, id } = await aManager(companyId);
  await db().update(admins).set({ privileges: [] }).where(eq(admins.id, id));
  for (const act of [
    () => updateAdmin(ctx, person.id, { name: "x" }),
    () => setAdminAccess(ctx, person.id, false),
    () => removeAdmin(ctx, person.id),
  ])
    await expect(act()).rejects.toMatchObject({ reason: "invalid_permission" });
});

test("rejects a role change based on outdated roles", async () => {
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

test("rejects an ownership change based on an outdated value", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  const person = await anAdmin(companyId);
  await updateAdmin(ctx, person.id, { isOwner: true, expectedIsOwner: false });
  await expect(
    updateAdmin(ctx, person.id, { isOwner: false, expectedIsOwner: false }),
  ).rejects.toMatchObject({ reason: "resource_in_use" });
  expect(await read(person.id)).toMatchObject({ isOwner: true });
});

test("rejects removing, suspending or demoting the last owner", async () => {
  const { id: companyId } = await aCompany();
  const owner = await anOwner(companyId);
  const off = await anOwner(companyId);
  await setAdminAccess(owner.ctx, off.id, false);
  const system = { ...owner.ctx, actor: { kind: "operator", email: "root@example.com" } as const };
  for (const act of [
    () => updateAdmin(owner.ctx, owner.id, { isOwner: false }),
    () => setAdminAccess(system, owner.id, false),
    () => removeAdmin(system, owner.id),
  ])
    await expect(act()).rejects.toThrow(/last owner/);
  // A suspended owner doesn't count and can be removed.
  await removeAdmin(owner.ctx, off.id);
  expect(await read(owner.id)).toMatchObject({ isOwner: true, disabledAt: null });
});

test.each([
  ["remove", (ctx, id) => removeAdmin(ctx, id)],
  ["switch off", (ctx, id) => setAdminAccess(ctx, id, false)],
  ["demote", (ctx, id) => updateAdmin(ctx, id, { isOwner: false })],
] as [string, (ctx: ReturnType<typeof asAdmin>, id: string) => Promise<unknown>][])(
  "keeps one of two owners who %s each other at the same moment",
  async (_, act) => {
    // Repeated, to hit the race.
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

test("rejects suspending or removing yourself", async () => {
  const { id: companyId } = await aCompany();
  await anOwner(companyId);
  const owner = await anOwner(companyId);
  await expect(setAdminAccess(owner.ctx, owner.id, false)).rejects.toThrow(/your own access/);
  await expect(removeAdmin(owner.ctx, owner.id)).rejects.toThrow(/remove yourself/);
});

test("suspending access ends sessions and rejects keys until it is restored", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  const person = await anAdmin(companyId);
  await startSession(db(), person.id);
  const key = await anApiKey(companyId, { creatorId: person.id });
  const use = () => authenticateKey(db(), { token: key.token, address: "192.0.2.1" });
  await setAdminAccess(ctx, person.id, false);
  await setAdminAccess(ctx, person.id, false);
  expect(await db().$count(sessions, eq(sessions.userId, person.id))).toBe(0);
  await expect(use()).rejects.toMatchObject({ reason: "invalid_api_key" });
  await setAdminAccess(ctx, person.id, true);
  await expect(use()).resolves.toMatchObject({ keyId: key.id });
  expect(await entries(companyId, "admin.disabled")).toHaveLength(1);
  expect(await entries(companyId, "admin.enabled")).toHaveLength(1);
});

test("requires all of an admin's privileges to restore their access", async () => {
  const { id: companyId } = await aCompany();
  const owner = await anOwner(companyId);
  const manager = await aManager(companyId, ["view_users"]);
  const direct = await anAdmin(companyId, { privileges: ["domains"] });
  const byRole = await anAdmin(companyId);
  await aRole(companyId, { name: "Doors", privileges: ["domains"], holders: [byRole] });
  const same = await anAdmin(companyId, { privileges: ["view_users"] });
  for (const { id } of [direct, byRole, same]) await setAdminAccess(owner.ctx, id, false);
  await expect(setAdminAccess(manager.ctx, direct.id, true)).rejects.toThrow(
    "This admin's access includes Domains, which you don't have",
  );
  await expect(setAdminAccess(manager.ctx, byRole.id, true)).rejects.toThrow(
    /The role Doors includes/,
  );
  expect((await read(byRole.id))!.disabledAt).not.toBeNull();
  await setAdminAccess(manager.ctx, same.id, true);
  await setAdminAccess(owner.ctx, direct.id, true);
  expect((await read(direct.id))!.disabledAt).toBeNull();
});

test("removing an admin revokes their keys and deletes their sign-in", async () => {
  const { id: companyId } = await aCompany();
  const { ctx } = await anOwner(companyId);
  const person = await anAdmin(companyId, { name: "Ben" });
  const key = await anApiKey(companyId, { creatorId: person.id });
  expect(await listAdminKeys(ctx, person.id)).toMatchObject([{ id: key.id, scheduledEmails: 0 }]);
  expect(await removeAdmin(ctx, person.id)).toEqual([key.id]);
  const [kept] = await db().select().from(apiKeys).where(eq(apiKeys.id, key.id));
  expect(kept).toMatchObject({ creatorId: null, revokedAt: expect.any(String) as string });
  expect(await db().$count(people, eq(people.email, person.email))).toBe(0);
  expect(await entries(companyId, "api_key.revoked")).toHaveLength(1);
  expect((await entries(companyId, "admin.removed"))[0]!.details).toMatchObject({
    email: person.email,
    name: "Ben",
    revokedKeys: 1,
  });
});

test("keeps the account of an operator or of an admin of another company", async () => {
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
