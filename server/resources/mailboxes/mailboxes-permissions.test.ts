import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { addresses, mailboxes } from "#drizzle/schema/index.ts";
import { sessionsConsole } from "#server/resources/sessions.ts";
import { type Privilege, PRIVILEGES, UNIT_PRIVILEGES } from "#server/universal/privileges.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import {
  aMailCompany,
  anOwnersSession,
  ask,
  aSessionOfRole,
} from "#server/testing/console-mailboxes.ts";
import { aSession, callFromPage } from "#server/testing/console-webhooks.ts";
import { anAlias } from "#server/testing/factories.ts";
import { anOwnDovecot } from "#server/testing/groups.ts";

import { mailboxAccessConsole } from "./access.ts";
import { mailboxesConsole } from "./console.ts";

type Endpoint = [endpoint: AnyEndpoint, takes: readonly (Privilege | "owner")[], body?: object];

const ofMailboxes: Endpoint[] = [
  [mailboxesConsole.get, ["view_users"]],
  [mailboxesConsole.update, ["update_users", "suspend_users", "reset_user_passwords"], {}],
  [mailboxAccessConsole.addAlias, ["update_users"], { address: "alias@x.example" }],
  [mailboxAccessConsole.removeAlias, ["update_users"]],
  [mailboxAccessConsole.resetPassword, ["reset_user_passwords"]],
  [mailboxAccessConsole.resetSecondFactor, ["reset_user_passwords"]],
  [mailboxAccessConsole.unlink, ["reset_user_passwords"]],
  [
    mailboxAccessConsole.resendPasswordLink,
    ["reset_user_passwords"],
    { to: "ann.private@example.net" },
  ],
  [mailboxesConsole.delete, ["owner"]],
  [mailboxAccessConsole.getAccess, ["view_users"]],
  [mailboxAccessConsole.getEffectiveSettings, ["view_users"]],
  [mailboxAccessConsole.resendForwardRequest, ["update_users"], { address: "ann@example.net" }],
  [mailboxAccessConsole.endSessions, ["reset_user_passwords"], {}],
  [mailboxAccessConsole.revokeAppPassword, ["reset_user_passwords"]],
];
const all: Endpoint[] = [
  [mailboxesConsole.list, ["view_users"]],
  [mailboxesConsole.getOptions, ["view_users", "create_users", "update_users"]],
  [mailboxesConsole.create, ["create_users"], { email: "new@x.example", name: "New" }],
  ...ofMailboxes,
];
const named = (endpoints: Endpoint[]) =>
  endpoints.map(
    ([endpoint, takes, body]) =>
      [`${endpoint.method} ${endpoint.path}`, endpoint, takes, body] as const,
  );
const NO_ID = "01900000-0000-7000-8000-000000000000";
const forbidden = { status: 403, body: { name: "invalid_permission" } };

let dovecot: Awaited<ReturnType<typeof anOwnDovecot>>;
let company: Awaited<ReturnType<typeof aMailCompany>>;
let alias: string;

beforeAll(async () => {
  dovecot = await anOwnDovecot();
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  company = await aMailCompany();
  alias = await anAlias(company.domain, company.inSales);
});

const stateOf = (companyId: string) =>
  Promise.all([
    db().select().from(mailboxes).where(eq(mailboxes.companyId, companyId)),
    db().select().from(addresses).where(eq(addresses.companyId, companyId)),
  ]);

describe("permissions", () => {
  test.each(named(all))("%s: 401 without a session", async (_, endpoint, __, body) => {
    expect(
      await callFromPage(endpoint, {
        params: { email: company.inSales, address: alias, id: NO_ID },
        body,
      }),
    ).toMatchObject({ status: 401, body: { name: "not_signed_in" } });
  });

  test.each(named(all))("%s: 403 without the privilege", async (_, endpoint, takes, body) => {
    const rest = PRIVILEGES.filter((privilege) => !takes.includes(privilege));
    const cookie = await aSession(company.companyId, rest);
    const params = { address: alias, id: NO_ID };
    const before = await stateOf(company.companyId);
    expect(await ask(endpoint, cookie, company.inSales, { params, body })).toMatchObject(forbidden);
    expect(await stateOf(company.companyId)).toEqual(before);
  });

  test.each(named(ofMailboxes))(
    "%s: another company's mailbox is not found",
    async (_, endpoint, __, body) => {
      const { companyId, at } = await aMailCompany();
      const stranger = await anOwnersSession(companyId);
      const params = { address: alias, id: NO_ID };
      if (endpoint === mailboxAccessConsole.addAlias) body = { address: at("alias") };
      const before = await stateOf(company.companyId);
      expect(await ask(endpoint, stranger, company.inSales, { params, body })).toMatchObject({
        status: 404,
        body: { name: "not_found" },
      });
      expect(await stateOf(company.companyId)).toEqual(before);
    },
  );

  test.each([
    ["name", { name: "Eve" }, "update_users"],
    ["size", { quotaMb: 512 }, "update_users"],
    ["suspension", { active: false }, "suspend_users"],
    ["password due", { forcePasswordChange: true }, "reset_user_passwords"],
  ] as const)("%s: each field requires its own privilege", async (_, body, privilege) => {
    const others = UNIT_PRIVILEGES.filter((other) => other !== privilege);
    const cookie = await aSession(company.companyId, others);
    const before = await stateOf(company.companyId);
    expect(await ask(mailboxesConsole.update, cookie, company.inSales, { body })).toMatchObject(
      forbidden,
    );
    expect(await stateOf(company.companyId)).toEqual(before);
    const single = await aSession(company.companyId, [privilege]);
    expect(await ask(mailboxesConsole.update, single, company.inSales, { body })).toMatchObject({
      status: 200,
      body: { id: company.inSales, ...body },
    });
  });
});

describe("a role limited to a unit", () => {
  const found = { status: 200 };
  const notFound = { status: 404, body: { message: "Mailbox not found" } };

  test("lists and retrieves only its mailboxes", async () => {
    const { ofSales, inRoot, inSales, domain } = company;
    const { body } = await ask(mailboxesConsole.list, ofSales, "", {
      query: { domain: domain.name },
    });
    expect(body).toMatchObject({ hasMore: false, data: [{ id: inSales }] });
    const query = { search: "root" };
    expect((await ask(mailboxesConsole.list, ofSales, "", { query })).body.data).toEqual([]);
    const pages = ["address", "name", "storage"].map((sort) =>
      ask(mailboxesConsole.list, ofSales, "", { query: { sort, after: inRoot } }),
    );
    const [byAddress, ...others] = (await Promise.all(pages)).map((page) => page.body);
    expect(byAddress).toMatchObject({ data: [{ id: inSales }], counts: { total: 1 } });
    // Nothing about another unit's mailbox shows in the order.
    for (const page of others) expect(page).toMatchObject({ data: [], counts: { total: 1 } });
    for (const endpoint of [
      mailboxesConsole.get,
      mailboxAccessConsole.getAccess,
      mailboxAccessConsole.getEffectiveSettings,
    ])
      expect(await ask(endpoint, ofSales, inRoot)).toMatchObject(notFound);
    expect(await ask(mailboxesConsole.get, ofSales, inSales)).toMatchObject({
      body: { may: { update: true, suspend: true, reset_password: true } },
    });
  });

  test("updates only its mailboxes", async () => {
    const { companyId, ofSales, inRoot, inSales, at } = company;
    const changes: [AnyEndpoint, object][] = [
      [mailboxesConsole.update, { body: { name: "Eve" } }],
      [mailboxAccessConsole.addAlias, { body: { address: at("other") } }],
      [mailboxAccessConsole.resetPassword, {}],
      [mailboxAccessConsole.resendPasswordLink, { body: { to: "ann.private@example.net" } }],
      [mailboxesConsole.update, { body: { active: false } }],
      [mailboxAccessConsole.endSessions, { body: {} }],
    ];
    const before = await stateOf(companyId);
    for (const [endpoint, rest] of changes)
      expect(await ask(endpoint, ofSales, inRoot, rest)).toMatchObject(forbidden);
    expect(await ask(mailboxesConsole.delete, ofSales, inSales)).toMatchObject(forbidden);
    expect(await stateOf(companyId)).toEqual(before);
    for (const [endpoint, rest] of changes)
      expect(await ask(endpoint, ofSales, inSales, rest)).toMatchObject(found);
  });

  test("can't move mailboxes in or out of the unit", async () => {
    const { ofSales, inRoot, inSales, root, sales } = company;
    const move = (email: string, to: number) =>
      ask(mailboxesConsole.update, ofSales, email, { body: { name: "Moved", orgUnitId: to } });
    expect(await move(inRoot, sales)).toMatchObject(forbidden);
    expect(await move(inSales, root)).toMatchObject(forbidden);
    const names = await db()
      .select({ address: mailboxes.address })
      .from(mailboxes)
      .where(and(eq(mailboxes.companyId, company.companyId), eq(mailboxes.name, "Moved")));
    expect(names).toEqual([]);
  });

  test("is offered and can create mailboxes in its units only", async () => {
    const { ofSales, at, sales, root, domain } = company;
    expect((await ask(mailboxesConsole.getOptions, ofSales, "")).body).toMatchObject({
      domains: [domain.name],
      units: [{ id: sales, name: "Sales", depth: 1, mayCreate: true, mayUpdate: true }],
    });
    const make = (body: object) =>
      ask(mailboxesConsole.create, ofSales, "", {
        body: { name: "New", email: at("new"), ...body },
      });
    expect(await make({})).toMatchObject(forbidden);
    expect(await make({ orgUnitId: root })).toMatchObject(forbidden);
    expect(await make({ orgUnitId: sales })).toMatchObject(found);
  });

  test("that can create but not update mailboxes sees that in the options", async () => {
    const { companyId, sales } = company;
    const cookie = await aSessionOfRole(companyId, sales, ["create_users"]);
    expect((await ask(mailboxesConsole.getOptions, cookie, "")).body.units).toEqual([
      { id: sales, name: "Sales", depth: 1, mayCreate: true, mayUpdate: false },
    ]);
  });

  test("counts among the signed-in admin's privileges", async () => {
    const { companyId, sales, ofSales } = company;
    const privilegesOf = async (cookie: string) =>
      (await ask(sessionsConsole.getMe, cookie, "")).body.privileges as string[];
    expect((await privilegesOf(ofSales)).sort()).toEqual([...UNIT_PRIVILEGES].sort());
    const mixed = await aSessionOfRole(companyId, sales, ["view_users", "manage_groups"]);
    expect(await privilegesOf(mixed)).toEqual(["view_users"]);
  });
});
