import { and, eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { addresses, mailboxes } from "#drizzle/schema/index.ts";
import { getMe } from "#server/console/sessions/get-me.ts";
import {
  type Privilege,
  PRIVILEGES,
  UNIT_PRIVILEGES,
} from "#server/core/access/privileges/privileges.ts";
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

import { addAlias } from "./add-alias.ts";
import { createMailbox } from "./create-mailbox.ts";
import { deleteMailbox } from "./delete-mailbox.ts";
import { endSessions } from "./end-sessions.ts";
import { getAccess } from "./get-access.ts";
import { getEffectiveSettings } from "./get-effective-settings.ts";
import { getMailboxOptions } from "./get-mailbox-options.ts";
import { getMailbox } from "./get-mailbox.ts";
import { listMailboxes } from "./list-mailboxes.ts";
import { removeAlias } from "./remove-alias.ts";
import { resendPasswordLink } from "./resend-password-link.ts";
import { resetPassword } from "./reset-password.ts";
import { resetSecondFactor } from "./reset-second-factor.ts";
import { revokeAppPassword } from "./revoke-app-password.ts";
import { unlinkMailbox } from "./unlink-mailbox.ts";
import { updateMailbox } from "./update-mailbox.ts";

type Endpoint = [endpoint: AnyEndpoint, takes: readonly (Privilege | "owner")[], body?: object];

const ofMailboxes: Endpoint[] = [
  [getMailbox, ["view_users"]],
  [updateMailbox, ["update_users", "suspend_users", "reset_user_passwords"], {}],
  [addAlias, ["update_users"], { address: "alias@x.example" }],
  [removeAlias, ["update_users"]],
  [resetPassword, ["reset_user_passwords"]],
  [resetSecondFactor, ["reset_user_passwords"]],
  [unlinkMailbox, ["reset_user_passwords"]],
  [resendPasswordLink, ["reset_user_passwords"], { to: "ann.private@example.net" }],
  [deleteMailbox, ["owner"]],
  [getAccess, ["view_users"]],
  [getEffectiveSettings, ["view_users"]],
  [endSessions, ["reset_user_passwords"], {}],
  [revokeAppPassword, ["reset_user_passwords"]],
];
const all: Endpoint[] = [
  [listMailboxes, ["view_users"]],
  [getMailboxOptions, ["view_users", "create_users", "update_users"]],
  [createMailbox, ["create_users"], { email: "new@x.example", name: "New" }],
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
      if (endpoint === addAlias) body = { address: at("alias") };
      const before = await stateOf(company.companyId);
      expect(await ask(endpoint, stranger, company.inSales, { params, body })).toMatchObject({
        ...{ status: 404, body: { name: "not_found" } },
      });
      expect(await stateOf(company.companyId)).toEqual(before);
    },
  );

  test.each([
    ["name", { name: "Eve" }, "update_users"],
    ["size", { quota_mb: 512 }, "update_users"],
    ["suspension", { active: false }, "suspend_users"],
    ["password due", { force_password_change: true }, "reset_user_passwords"],
  ] as const)("%s: each field requires its own privilege", async (_, body, privilege) => {
    const others = UNIT_PRIVILEGES.filter((other) => other !== privilege);
    const cookie = await aSession(company.companyId, others);
    const before = await stateOf(company.companyId);
    expect(await ask(updateMailbox, cookie, company.inSales, { body })).toMatchObject(forbidden);
    expect(await stateOf(company.companyId)).toEqual(before);
    const single = await aSession(company.companyId, [privilege]);
    expect(await ask(updateMailbox, single, company.inSales, { body })).toMatchObject({
      ...{ status: 200, body: { id: company.inSales, ...body } },
    });
  });
});

describe("a role limited to a unit", () => {
  const found = { status: 200 };
  const notFound = { status: 404, body: { message: "Mailbox not found" } };

  test("lists and retrieves only its mailboxes", async () => {
    const { ofSales, inRoot, inSales, domain } = company;
    const { body } = await ask(listMailboxes, ofSales, "", { query: { domain: domain.name } });
    expect(body).toMatchObject({ has_more: false, data: [{ id: inSales }] });
    const query = { search: "root" };
    expect((await ask(listMailboxes, ofSales, "", { query })).body.data).toEqual([]);
    const pages = ["address", "name", "storage"].map((sort) =>
      ask(listMailboxes, ofSales, "", { query: { sort, after: inRoot } }),
    );
    const [byAddress, ...others] = (await Promise.all(pages)).map((page) => page.body);
    expect(byAddress).toMatchObject({ data: [{ id: inSales }], counts: { total: 1 } });
    // Nothing about another unit's mailbox shows in the order.
    for (const page of others) expect(page).toMatchObject({ data: [], counts: { total: 1 } });
    for (const endpoint of [getMailbox, getAccess, getEffectiveSettings])
      expect(await ask(endpoint, ofSales, inRoot)).toMatchObject(notFound);
    expect(await ask(getMailbox, ofSales, inSales)).toMatchObject({
      body: { may: { update: true, suspend: true, reset_password: true } },
    });
  });

  test("updates only its mailboxes", async () => {
    const { companyId, ofSales, inRoot, inSales, at } = company;
    const changes: [AnyEndpoint, object][] = [
      [updateMailbox, { body: { name: "Eve" } }],
      [addAlias, { body: { address: at("other") } }],
      [resetPassword, {}],
      [resendPasswordLink, { body: { to: "ann.private@example.net" } }],
      [updateMailbox, { body: { active: false } }],
      [endSessions, { body: {} }],
    ];
    const before = await stateOf(companyId);
    for (const [endpoint, rest] of changes)
      expect(await ask(endpoint, ofSales, inRoot, rest)).toMatchObject(forbidden);
    expect(await ask(deleteMailbox, ofSales, inSales)).toMatchObject(forbidden);
    expect(await stateOf(companyId)).toEqual(before);
    for (const [endpoint, rest] of changes)
      expect(await ask(endpoint, ofSales, inSales, rest)).toMatchObject(found);
  });

  test("can't move mailboxes in or out of the unit", async () => {
    const { ofSales, inRoot, inSales, root, sales } = company;
    const move = (email: string, to: number) =>
      ask(updateMailbox, ofSales, email, { body: { name: "Moved", org_unit_id: to } });
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
    expect((await ask(getMailboxOptions, ofSales, "")).body).toMatchObject({
      domains: [domain.name],
      units: [{ id: sales, name: "Sales", depth: 1, may_create: true, may_update: true }],
    });
    const make = (body: object) =>
      ask(createMailbox, ofSales, "", { body: { name: "New", email: at("new"), ...body } });
    expect(await make({})).toMatchObject(forbidden);
    expect(await make({ org_unit_id: root })).toMatchObject(forbidden);
    expect(await make({ org_unit_id: sales })).toMatchObject(found);
  });

  test("that can create but not update mailboxes sees that in the options", async () => {
    const { companyId, sales } = company;
    const cookie = await aSessionOfRole(companyId, sales, ["create_users"]);
    expect((await ask(getMailboxOptions, cookie, "")).body.units).toEqual([
      { id: sales, name: "Sales", depth: 1, may_create: true, may_update: false },
    ]);
  });

  test("counts among the signed-in admin's privileges", async () => {
    const { companyId, sales, ofSales } = company;
    const privilegesOf = async (cookie: string) =>
      (await ask(getMe, cookie, "")).body.privileges as string[];
    expect((await privilegesOf(ofSales)).sort()).toEqual([...UNIT_PRIVILEGES].sort());
    const mixed = await aSessionOfRole(companyId, sales, ["view_users", "manage_groups"]);
    expect(await privilegesOf(mixed)).toEqual(["view_users"]);
  });
});
