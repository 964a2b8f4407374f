import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";

import {
  appPasswords,
  auditEntries,
  companies,
  mailboxSignIns,
  orgUnits,
  roles,
} from "#drizzle/schema/index.ts";
import { createUnit as makeUnit } from "#server/core/mailboxes/org-units/units.ts";
import { type Privilege, PRIVILEGES } from "#server/universal/privileges.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { call } from "#server/testing/call.ts";
import { aMailCompany, aSessionOfRole } from "#server/testing/console-mailboxes.ts";
import { aSession } from "#server/testing/console-webhooks.ts";
import { aCompany, aContext, aMailbox } from "#server/testing/factories.ts";

import { unitsConsole } from "./units.ts";

const all: [AnyEndpoint, Privilege, object?][] = [
  [unitsConsole.list, "view_users"],
  [unitsConsole.get, "view_users"],
  [unitsConsole.create, "manage_settings", { name: "New", parentId: 1 }],
  [unitsConsole.update, "manage_settings", { name: "New" }],
  [unitsConsole.delete, "manage_settings"],
];
const named = all.map(([endpoint, takes, body]) => {
  return [`${endpoint.method} ${endpoint.path}`, endpoint, takes, body] as const;
});

type Named = { id: number; name: string };
let company: Awaited<ReturnType<typeof aMailCompany>>;
let cookie: string;
let berlin: number;
beforeEach(async () => {
  company = await aMailCompany();
  cookie = await aSession(company.companyId, ["view_users", "manage_settings"]);
  berlin = await makeUnit(aContext(company.companyId), { parentId: company.sales, name: "Berlin" });
  await aMailbox(company.domain, { orgUnitId: berlin });
});

const ask = (endpoint: AnyEndpoint, as: string, id: number | string, body?: object) =>
  call(endpoint, { cookie: as, params: { id: String(id) }, ...(body && { body }) }) as Promise<{
    status: number;
    body: Record<string, unknown>;
  }>;
const tree = async (as = cookie) =>
  (await ask(unitsConsole.list, as, "")).body as { mayChange: boolean; data: Named[] };
const policy = async (unit: number, name: string, as = cookie) => {
  const { policies } = (await ask(unitsConsole.get, as, unit)).body as { policies: Named[] };
  return policies.find((one) => one.name === name);
};
const set = (unit: number, policies: object) =>
  ask(unitsConsole.update, cookie, unit, { policies });
const stored = () => db().select().from(orgUnits).where(eq(orgUnits.companyId, company.companyId));

describe("permissions", () => {
  test.each(named)("%s: 403 without the privilege", async (_, endpoint, takes, body) => {
    const rest = PRIVILEGES.filter((privilege) => privilege !== takes);
    const before = await stored();
    const as = await aSession(company.companyId, rest);
    expect(await ask(endpoint, as, berlin, body)).toMatchObject({
      status: 403,
      body: { name: "invalid_permission" },
    });
    expect(await stored()).toEqual(before);
  });

  test.each(named.slice(2))("%s: 403 for a role limited to a unit", async (...given) => {
    const [, endpoint, , body] = given;
    const { companyId, sales } = company;
    const as = await aSessionOfRole(companyId, sales, ["view_users", "manage_settings"]);
    const before = await stored();
    expect(await ask(endpoint, as, sales, body)).toMatchObject({ status: 403 });
    expect(await stored()).toEqual(before);
  });

  test("another company's unit is not found and can't be a parent", async () => {
    const theirs = await aMailCompany();
    for (const [endpoint, , body] of all.filter(
      ([one]) => one !== unitsConsole.list && one !== unitsConsole.create,
    ))
      expect(await ask(endpoint, cookie, theirs.sales, body)).toMatchObject({
        status: 404,
        body: { message: "Unit not found" },
      });
    const body = { name: "New", parentId: theirs.sales };
    expect(await ask(unitsConsole.create, cookie, "", body)).toMatchObject({ status: 422 });
    expect(
      await ask(unitsConsole.update, cookie, berlin, { parentId: theirs.sales }),
    ).toMatchObject({
      status: 422,
    });
    for (const id of ["0", "x", "99999999999", "2147483648", "1e3"])
      expect(await ask(unitsConsole.get, cookie, id)).toMatchObject({ status: 404 });
  });
});

describe("the tree", () => {
  test("lists all units with their own and total mailboxes", async () => {
    const { root, sales } = company;
    expect(await tree()).toEqual({
      mayChange: true,
      data: [
        {
          id: root,
          name: "Example Ltd",
          parentId: null,
          isRoot: true,
          mailboxes: 1,
          mailboxesBelow: 3,
        },
        {
          id: sales,
          name: "Sales",
          parentId: root,
          isRoot: false,
          mailboxes: 1,
          mailboxesBelow: 2,
        },
        {
          id: berlin,
          name: "Berlin",
          parentId: sales,
          isRoot: false,
          mailboxes: 1,
          mailboxesBelow: 1,
        },
      ],
    });
  });

  test("of a new company is only its root", async () => {
    const { id } = await aCompany({ name: "Northwind" });
    const first = await aSession(id, ["view_users"]);
    expect((await tree(first)).data).toMatchObject([{ name: "Northwind", isRoot: true }]);
  });

  test("of a role limited to a unit starts at that unit", async () => {
    const { ofSales, sales, root } = company;
    const { mayChange, data } = await tree(ofSales);
    expect(mayChange).toBe(false);
    expect(data).toMatchObject([
      { id: sales, parentId: null, isRoot: false },
      { id: berlin, parentId: sales },
    ]);
    expect(await ask(unitsConsole.get, ofSales, root)).toMatchObject({ status: 404 });
    await set(root, { imapAllowed: false });
    expect(await policy(sales, "imapAllowed", ofSales)).toMatchObject({
      value: false,
      from: { id: null, name: "a unit above" },
    });
  });
});

test("a unit is created, renamed, moved, and deleted", async () => {
  const { root, sales, companyId } = company;
  const { body } = await ask(unitsConsole.create, cookie, "", { name: " IT ", parentId: root });
  const it = body.id as number;
  expect(await ask(unitsConsole.create, cookie, "", { name: "it", parentId: root })).toMatchObject({
    status: 409,
  });
  expect(
    await ask(unitsConsole.update, cookie, it, { name: "Engineering", parentId: berlin }),
  ).toEqual(expect.objectContaining({ status: 200 }));
  expect((await tree()).data.map(({ name }) => name)).toEqual([
    "Example Ltd",
    "Sales",
    "Berlin",
    "Engineering",
  ]);
  expect(await ask(unitsConsole.update, cookie, sales, { parentId: it })).toMatchObject({
    status: 422,
  });
  expect(await ask(unitsConsole.delete, cookie, berlin)).toMatchObject({ status: 409 });
  expect(await ask(unitsConsole.delete, cookie, root)).toMatchObject({ status: 422 });
  await db().insert(roles).values({ companyId, name: "Desk", privileges: [], orgUnitId: it });
  expect((await ask(unitsConsole.get, cookie, berlin)).body.roles).toEqual([
    { name: "Desk", unitId: it, admins: 0 },
  ]);
  expect(await ask(unitsConsole.delete, cookie, it)).toMatchObject({ status: 200 });
  expect(await ask(unitsConsole.delete, cookie, it)).toMatchObject({ status: 404 });
  expect(await db().$count(roles, eq(roles.orgUnitId, it))).toBe(0);
});

test("an update with one invalid field changes nothing", async () => {
  const { root } = company;
  const before = await stored();
  const change = { name: "Office", policies: { passwordLengthMin: 3 } };
  expect(
    await ask(unitsConsole.update, cookie, berlin, { ...change, parentId: root }),
  ).toMatchObject({
    status: 422,
    body: { message: expect.stringMatching(/^password_length_min: /) as string },
  });
  expect(await stored()).toEqual(before);
});

describe("a policy", () => {
  test("is inherited until it is set and after it is reset", async () => {
    const { root, sales } = company;
    const name = "passwordLengthMin";
    expect(await policy(berlin, name)).toMatchObject({ value: 12, own: null, from: null });
    await set(root, { passwordLengthMin: 16 });
    expect(await policy(berlin, name)).toMatchObject({ value: 16, own: null, from: { id: root } });
    await set(berlin, { passwordLengthMin: 20 });
    expect(await policy(berlin, name)).toMatchObject({
      value: 20,
      own: 20,
      from: { id: berlin },
      above: { value: 16, from: { id: root } },
    });
    await set(berlin, { passwordLengthMin: null });
    expect(await policy(berlin, name)).toMatchObject({ value: 16, own: null, from: { id: root } });
    expect(await policy(sales, name)).toMatchObject({ above: { value: 16 } });
    expect(await policy(root, name)).toMatchObject({ above: { value: 12, from: null } });
    const audited = await db()
      .select({ details: auditEntries.details })
      .from(auditEntries)
      .where(eq(auditEntries.action, "unit.policies_changed"));
    expect(audited.filter(({ details }) => details.unit === berlin)).toHaveLength(2);
  });

  test("applies to the mailboxes below, except in units that set their own value", async () => {
    const { root, sales, companyId, domain } = company;
    const reach = async (unit: number) =>
      (await policy(unit, "imapAllowed")) as unknown as { appliesTo: number };
    expect(await reach(root)).toMatchObject({ appliesTo: 3 });
    expect(await reach(sales)).toMatchObject({ appliesTo: 2 });
    const desk = await makeUnit(aContext(companyId), { parentId: berlin, name: "Desk" });
    await aMailbox(domain, { orgUnitId: desk });
    await set(berlin, { imapAllowed: true });
    await set(desk, { pop3Allowed: false });
    expect(await reach(root)).toMatchObject({ appliesTo: 2 });
    expect(await reach(sales)).toMatchObject({ appliesTo: 1 });
    expect(await reach(berlin)).toMatchObject({ appliesTo: 2 });
  });

  test("says how many of these mailboxes used what it allows in the last seven days", async () => {
    const { root, sales, domain } = company;
    const [ann, ben, old, elsewhere] = await Promise.all(
      [berlin, berlin, berlin, root].map((orgUnitId) => aMailbox(domain, { orgUnitId })),
    );
    const now = Math.floor(Date.now() / 1000);
    await db()
      .insert(mailboxSignIns)
      .values([
        { address: ann!.address, lastSignIn: now - 6 * 86_400 },
        { address: ben!.address, lastPop3: now },
        { address: old!.address, lastSignIn: now - 8 * 86_400, lastPop3: now - 8 * 86_400 },
        { address: elsewhere!.address, lastSignIn: now },
      ]);
    const of = { mailbox: ben!.address, name: "Phone", lastUsedAt: new Date().toISOString() };
    await db()
      .insert(appPasswords)
      .values([
        { ...of, secretHash: "1" },
        { ...of, secretHash: "2" },
        { ...of, mailbox: old!.address, secretHash: "3", lastUsedAt: null },
      ]);
    const use = async (unit: number, name: string) =>
      (await policy(unit, name)) as unknown as { usedThisWeek: number | null };
    expect(await use(sales, "imapAllowed")).toMatchObject({ usedThisWeek: 1 });
    expect(await use(root, "imapAllowed")).toMatchObject({ usedThisWeek: 2 });
    expect(await use(berlin, "pop3Allowed")).toMatchObject({ usedThisWeek: 1 });
    expect(await use(berlin, "appPasswordsAllowed")).toMatchObject({ usedThisWeek: 1 });
    expect(await use(berlin, "outsideAllowed")).toMatchObject({ usedThisWeek: null });
    await set(berlin, { imapAllowed: true });
    expect(await use(sales, "imapAllowed")).toMatchObject({ usedThisWeek: 0 });
  });

  test("for the default size is null where no unit sets one", async () => {
    await db()
      .update(companies)
      .set({ defaultQuotaMb: 3_000, quotaMbMax: 9_000 })
      .where(eq(companies.id, company.companyId));
    expect((await ask(unitsConsole.get, cookie, berlin)).body).toMatchObject({
      defaultQuotaMb: 3_000,
      quotaMbMax: 9_000,
    });
    expect(await policy(berlin, "defaultQuotaMb")).toMatchObject({ value: null, from: null });
    expect(await set(berlin, { defaultQuotaMb: 5 })).toMatchObject({ status: 422 });
  });
});

test("a thousand units are listed in one response", async () => {
  const { companyId, root, sales } = company;
  await db()
    .insert(orgUnits)
    .values(
      Array.from({ length: 1_000 }, (_, i) => ({
        companyId,
        name: `Unit ${i}`,
        parentId: i % 2 === 0 ? root : sales,
      })),
    );
  expect((await tree()).data).toHaveLength(1_003);
});
