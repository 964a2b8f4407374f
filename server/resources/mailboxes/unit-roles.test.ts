import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { adminRoles, type Mailbox, mailboxes, roles } from "#drizzle/schema/index.ts";
import { domainsApi } from "#server/resources/domains/api.ts";
import { webhooksApi } from "#server/resources/webhooks/api.ts";
import { config } from "#server/config.ts";
import { createUnit, moveUnit } from "#server/core/mailboxes/org-units/units.ts";
import { type Privilege, PRIVILEGES, UNIT_PRIVILEGES } from "#server/universal/privileges.ts";
import { findSignedIn, startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { aDovecot, type TestDovecot } from "#server/testing/a-dovecot.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { call } from "#server/testing/call.ts";
import { aContext, aMailbox, anAlias, anApiKey } from "#server/testing/factories.ts";
import {
  aMailboxAdmin,
  invalidCursor,
  type MailboxAdmin,
  notFound,
  notPermitted,
  storedMailbox,
} from "#server/testing/mailbox-admin.ts";

import { aliasesApi } from "./aliases.ts";
import { mailboxesApi } from "./api.ts";

// A company with the units Sales (and Berlin below it) and IT, a mailbox in each and one in the root.

let dovecot: TestDovecot;
let admin: MailboxAdmin;
let sales: number;
let berlin: number;
let it: number;
let inRoot: Mailbox;
let inSales: Mailbox;
let inBerlin: Mailbox;
let inIt: Mailbox;

beforeAll(async () => {
  dovecot = await aDovecot({ givenFolder: config().dataFolder });
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  admin = await aMailboxAdmin();
  sales = await unit("Sales", null);
  berlin = await unit("Berlin", sales);
  it = await unit("IT", null);
  inRoot = await aMailbox(admin.domain, { address: admin.at("root") });
  inSales = await aMailbox(admin.domain, { address: admin.at("sales"), orgUnitId: sales });
  inBerlin = await aMailbox(admin.domain, { address: admin.at("berlin"), orgUnitId: berlin });
  inIt = await aMailbox(admin.domain, { address: admin.at("it"), orgUnitId: it });
});

const unit = (name: string, parentId: number | null) =>
  createUnit(aContext(admin.companyId), { parentId, name });

/** A key whose creator has only a role. */
async function aKeyOfRole(
  orgUnitId: number | null,
  privileges: readonly Privilege[] = UNIT_PRIVILEGES,
  companyId = admin.companyId,
) {
  const key = await anApiKey(admin.companyId, { privileges: [] });
  const [role] = await db()
    .insert(roles)
    .values({ companyId, name: "Role", privileges: [...privileges], orgUnitId })
    .returning();
  await db().insert(adminRoles).values({ adminId: key.creatorId, roleId: role!.id });
  return { ...key, roleId: role!.id };
}

describe("a role limited to a unit", () => {
  let key: string;
  beforeEach(async () => {
    key = (await aKeyOfRole(sales)).token;
  });

  test("sees the mailboxes of the unit and its subunits only", async () => {
    expect(await admin.emailsOf({}, key)).toEqual([inBerlin.address, inSales.address]);
    expect(await admin.emailsOf({ after: inBerlin.address }, key)).toEqual([inSales.address]);
    for (const { address } of [inSales, inBerlin])
      expect((await admin.get(address, key)).body).toMatchObject({ email: address });
    for (const { address } of [inRoot, inIt]) {
      expect(await admin.get(address, key)).toMatchObject(notFound);
      expect(await call(aliasesApi.list, { key, params: { email: address } })).toMatchObject(
        notFound,
      );
    }
    const query = { after: inIt.address };
    expect(await call(mailboxesApi.list, { key, query })).toMatchObject(invalidCursor);
  });

  test("changes these mailboxes only", async () => {
    const acts = (email: string, alias: string) => [
      () => admin.patch(email, { name: "Eve" }, key),
      () => admin.patch(email, { active: false }, key),
      () => admin.patch(email, { force_password_change: true }, key),
      () => call(mailboxesApi.resetPassword, { key, params: { email } }),
      () => call(aliasesApi.add, { key, params: { email }, body: { address: `x${email}` } }),
      () => call(aliasesApi.remove, { key, params: { email, address: alias } }),
    ];
    for (const { address } of [inRoot, inIt]) {
      const alias = await anAlias(admin.domain, address);
      const { body: before } = await admin.get(address);
      for (const act of acts(address, alias)) expect(await act()).toMatchObject(notPermitted);
      expect((await admin.get(address)).body).toEqual(before);
    }
    const alias = await anAlias(admin.domain, inBerlin.address);
    for (const act of acts(inBerlin.address, alias)) expect((await act()).status).toBe(200);
  });

  test("adds no catch-all, which receives mail meant for all units", async () => {
    const addCatchAll = (caller: string) => {
      const body = { address: admin.at("*") };
      return call(aliasesApi.add, { key: caller, params: { email: inSales.address }, body });
    };
    expect(await addCatchAll(key)).toMatchObject(notPermitted);
    expect((await addCatchAll((await aKeyOfRole(null)).token)).status).toBe(200);
  });

  test("applies at the moment of the change: a mailbox that was just moved away keeps its password", async () => {
    const { address, passwordHash } = inSales;
    const reset = await db().transaction(async (tx) => {
      await tx.update(mailboxes).set({ orgUnitId: it }).where(eq(mailboxes.address, address));
      const answer = call(mailboxesApi.resetPassword, { key, params: { email: address } });
      await untilBlocked();
      return () => answer;
    });
    expect(await reset()).toMatchObject(notPermitted);
    expect((await storedMailbox(address)).passwordHash).toBe(passwordHash);
  });

  test("creates mailboxes there, not elsewhere or in the root unit", async () => {
    const create = (email: string, unitId?: number) =>
      admin.create({ email: admin.at(email), name: "New", org_unit_id: unitId }, key);
    expect((await create("a", sales)).body).toMatchObject({ org_unit: { name: "Sales" } });
    expect((await create("b", berlin)).status).toBe(200);
    expect(await create("c", it)).toMatchObject(notPermitted);
    expect(await create("d")).toMatchObject(notPermitted);
  });

  test("follows a unit that moves", async () => {
    await moveUnit(aContext(admin.companyId), it, berlin);
    expect(await admin.emailsOf({}, key)).toContain(inIt.address);
    await moveUnit(aContext(admin.companyId), berlin, inRoot.orgUnitId);
    expect(await admin.emailsOf({}, key)).toEqual([inSales.address]);
  });
});

test("grants no company-wide privileges, whatever it contains", async () => {
  const { token: key } = await aKeyOfRole(sales, [...PRIVILEGES, "owner"]);
  expect(await call(webhooksApi.list, { key })).toMatchObject(notPermitted);
  const body = { name: "new.example" };
  expect(await call(domainsApi.add, { key, body })).toMatchObject(notPermitted);
  const params = { email: inSales.address };
  expect(await call(mailboxesApi.delete, { key, params })).toMatchObject(notPermitted);
});

test("an unlimited role grants its privileges in the whole company but does not make an owner", async () => {
  const { token: key, roleId } = await aKeyOfRole(null, ["view_users", "api_controls", "owner"]);
  expect(await admin.emailsOf({}, key)).toHaveLength(4);
  expect((await call(webhooksApi.list, { key })).status).toBe(200);
  const params = { email: inSales.address };
  expect(await call(mailboxesApi.delete, { key, params })).toMatchObject(notPermitted);
  await db().delete(roles).where(eq(roles.id, roleId));
  expect(await call(webhooksApi.list, { key })).toMatchObject(notPermitted);
});

test("combines the privileges of several roles, each in its unit", async () => {
  const { token: key, creatorId } = await aKeyOfRole(sales, ["view_users", "update_users"]);
  const [second] = await db()
    .insert(roles)
    .values({ companyId: admin.companyId, name: "2", privileges: ["view_users"], orgUnitId: it })
    .returning();
  await db().insert(adminRoles).values({ adminId: creatorId, roleId: second!.id });

  expect(await admin.emailsOf({}, key)).toHaveLength(3);
  expect((await admin.patch(inSales.address, { name: "Eve" }, key)).status).toBe(200);
  expect(await admin.patch(inIt.address, { name: "Eve" }, key)).toMatchObject(notPermitted);
});

test("a change that needs a missing privilege changes nothing", async () => {
  const { token: key } = await aKeyOfRole(sales, ["update_users"]);
  const change = { name: "Eve", active: false };
  expect(await admin.patch(inSales.address, change, key)).toMatchObject(notPermitted);
  expect((await admin.get(inSales.address)).body).toMatchObject({ name: inSales.name });
});

test("another company's role grants nothing", async () => {
  const other = await aMailboxAdmin();
  const { token: key } = await aKeyOfRole(null, ["view_users"], other.companyId);
  expect(await admin.get(inSales.address, key)).toMatchObject(notPermitted);
});

test("the console session has the same privileges", async () => {
  const { creatorId } = await aKeyOfRole(sales);
  const [cookie] = (await startSession(db(), creatorId)).split(";");
  const signedIn = await findSignedIn(db(), cookie!);
  expect(signedIn!.privileges.size).toBe(0);
  expect(signedIn!.units.get("view_users")).toEqual(new Set([sales, berlin]));
});
