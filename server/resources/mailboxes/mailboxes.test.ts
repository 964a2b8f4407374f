import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { auditEntries, companies, mailboxes, mailboxUsage } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { aMailCompany, anOwnersSession, ask } from "#server/testing/console-mailboxes.ts";
import { aGroup, anAlias } from "#server/testing/factories.ts";
import { anOwnDovecot } from "#server/testing/groups.ts";

import { mailboxAccessConsole } from "./access.ts";
import { mailboxesConsole } from "./console.ts";

let dovecot: Awaited<ReturnType<typeof anOwnDovecot>>;
let company: Awaited<ReturnType<typeof aMailCompany>>;

beforeAll(async () => {
  dovecot = await anOwnDovecot();
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  company = await aMailCompany();
});

const read = (email = company.inSales) => ask(mailboxesConsole.get, company.cookie, email);
const patch = (body: object, email = company.inSales) =>
  ask(mailboxesConsole.update, company.cookie, email, { body });
const audited = async () => {
  const entries = await db()
    .select({ action: auditEntries.action })
    .from(auditEntries)
    .where(eq(auditEntries.companyId, company.companyId))
    .orderBy(auditEntries.createdAt, auditEntries.id);
  return entries.map(({ action }) => action).filter((action) => !action.startsWith("unit."));
};

test("creation names every invalid field at once", async () => {
  const body = { email: "ann", name: "", quotaMb: 1 };
  const answered = await ask(mailboxesConsole.create, company.cookie, "", { body });
  expect(answered).toMatchObject({
    status: 422,
    body: { fields: [{ path: "email" }, { path: "name", code: "required" }, { path: "quotaMb" }] },
  });
});

test("a mailbox is retrieved with its details, ignoring the case of its address", async () => {
  const { inSales, sales, domain, at } = company;
  await anAlias(domain, inSales, at("zoe"));
  await anAlias(domain, inSales, at("anna"));
  const { address: team } = await aGroup(domain, { members: [inSales] });
  await db().insert(mailboxUsage).values({ address: inSales, usedBytes: 4_096, messages: 2 });

  const { body } = await read(inSales.toUpperCase());

  expect(body).toEqual({
    id: inSales,
    name: "Ann Example",
    domain: domain.name,
    active: true,
    sendingHeld: false,
    forcePasswordChange: false,
    passwordChangeDue: false,
    acceptsPassword: true,
    quotaMb: 256,
    hasSecondFactor: false,
    signsInWithProvider: false,
    usedBytes: 4_096,
    messages: 2,
    lastSignInAt: null,
    lastMailAppAt: null,
    groups: [{ address: team, isMember: true }],
    orgUnit: { id: sales, name: "Sales" },
    aliases: [at("anna"), at("zoe")],
    createdAt: expect.stringMatching(/^\d{4}-.*Z$/) as string,
    may: { update: true, suspend: true, reset_password: true },
    collections: null,
  });
});

test("a mailbox is created with a temporary password, unit, and size", async () => {
  const { cookie, at, sales } = company;
  const body = { email: at("New.One"), name: " New One ", quotaMb: 512, orgUnitId: sales };
  const made = await ask(mailboxesConsole.create, cookie, "", { body });
  expect(made).toMatchObject({
    status: 200,
    body: { id: at("new.one") },
  });
  expect(made.body.temporaryPassword).toMatch(/^\S{20}$/);
  expect((await read(at("new.one"))).body).toMatchObject({
    name: "New One",
    quotaMb: 512,
    forcePasswordChange: true,
    orgUnit: { id: sales },
  });
  expect(await ask(mailboxesConsole.create, cookie, "", { body })).toMatchObject({
    status: 409,
    body: { name: "already_exists" },
  });
});

test.each([
  ["an address of no domain", { email: "new@nobody.example" }, 422, /^email: /],
  ["an address that is none", { email: "@x.example" }, 422, /^email: /],
  ["no name", { name: " " }, 422, /name/],
  ["half a megabyte", { quotaMb: 256.5 }, 422, /^quota_mb: must be a whole number/],
  ["a size that is no number", { quotaMb: "512" }, 422, /^quotaMb: /],
  ["a unit that does not exist", { orgUnitId: 2_000_000_000 }, 422, /^org_unit_id: /],
])("%s creates no mailbox", async (_, wrong, status, message) => {
  const body = { email: company.at("new"), name: "New", ...wrong };
  expect(await ask(mailboxesConsole.create, company.cookie, "", { body })).toMatchObject({
    status,
    body: { message: expect.stringMatching(message) as string },
  });
  expect(await db().$count(mailboxes, eq(mailboxes.companyId, company.companyId))).toBe(2);
});

describe("an update", () => {
  test("returns the stored mailbox, with the size capped by the plan", async () => {
    const { companyId, sales, root } = company;
    await db().update(companies).set({ quotaMbMax: 1_024 }).where(eq(companies.id, companyId));
    const answer = await patch({ name: " Ann Lee ", quotaMb: 2_048, orgUnitId: root });
    expect(answer.body).toMatchObject({ name: "Ann Lee", quotaMb: 1_024, orgUnit: { id: root } });
    expect((await read()).body).toEqual(answer.body);
    expect(await audited()).toEqual(["mailbox.moved", "mailbox.updated"]);
    await patch({ orgUnitId: sales });
    expect((await read()).body.orgUnit).toEqual({ id: sales, name: "Sales" });
  });

  test.each([
    ["a unit that does not exist", { name: "Eve", active: false, orgUnitId: 2_000_000_000 }],
    ["a size out of bounds", { name: "Eve", quotaMb: 1 }],
    ["an empty name", { name: "  ", quotaMb: 512 }],
    ["a name of another kind", { name: 7, quotaMb: 512 }],
  ])("with %s changes nothing", async (_, body) => {
    const { body: before } = await read();
    const whole = { orgUnitId: company.root, ...body };
    expect(await patch(whole)).toMatchObject({ status: 422 });
    expect((await read()).body).toEqual(before);
    expect(await audited()).toEqual([]);
  });

  test("suspends, restores, and requires a password change", async () => {
    expect((await patch({ active: false })).body).toMatchObject({ active: false });
    expect((await patch({ active: true })).body).toMatchObject({ active: true });
    expect((await patch({ forcePasswordChange: true })).body).toMatchObject({
      forcePasswordChange: true,
    });
    expect(await audited()).toEqual(["mailbox.suspended", "mailbox.restored", "mailbox.updated"]);
  });
});

test("an alias can be added once and removed once, and is listed in between", async () => {
  const { cookie, inSales, at } = company;
  const add = (address: string) =>
    ask(mailboxAccessConsole.addAlias, cookie, inSales, { body: { address } });
  expect(await add(at("Shop"))).toMatchObject({ status: 200, body: { address: at("shop") } });
  expect(await add(at("shop"))).toMatchObject({ status: 409, body: { name: "already_exists" } });
  expect(await add("shop@nobody.example")).toMatchObject({ status: 422 });
  expect((await read()).body.aliases).toEqual([at("shop")]);
  const remove = () =>
    ask(mailboxAccessConsole.removeAlias, cookie, inSales, { params: { address: at("shop") } });
  expect(await remove()).toMatchObject({ status: 200, body: { address: at("shop") } });
  expect(await remove()).toMatchObject({ status: 404 });
  expect((await read()).body.aliases).toEqual([]);
});

test("a password reset returns a temporary password that must be changed", async () => {
  const { cookie, inSales } = company;
  const hashOf = async () =>
    (await db().select().from(mailboxes).where(eq(mailboxes.address, inSales)))[0]!.passwordHash;
  const before = await hashOf();
  const { body } = await ask(mailboxAccessConsole.resetPassword, cookie, inSales);
  expect(body.temporaryPassword).toMatch(/^\S{20}$/);
  expect(await hashOf()).not.toBe(before);
  const after = (await read()).body;
  expect(after).toMatchObject({ forcePasswordChange: true });
  expect(JSON.stringify(after)).not.toContain(body.temporaryPassword);
});

test("an owner deletes a mailbox", async () => {
  const owner = await anOwnersSession(company.companyId);
  const deletion = () => ask(mailboxesConsole.delete, owner, company.inSales);
  expect(await deletion()).toMatchObject({ status: 200, body: { id: company.inSales } });
  expect(await deletion()).toMatchObject({ status: 404 });
  const { body } = await ask(mailboxesConsole.list, company.cookie, "");
  expect(body).toMatchObject({ data: [{ id: company.inRoot }] });
});

describe("while Dovecot is down", () => {
  beforeAll(() => dovecot.running.stop());

  test("reads report it, changes fail, and options still load", async () => {
    const { cookie, inSales, at, companyId } = company;
    const owner = await anOwnersSession(companyId);
    const alias = await anAlias(company.domain, inSales);
    const unreadable = {
      status: 500,
      body: { message: "The mail server can't be reached. Try again later" },
    };
    expect(await read()).toMatchObject(unreadable);
    expect(await ask(mailboxesConsole.list, cookie, "")).toMatchObject(unreadable);
    const state = () => db().select().from(mailboxes).where(eq(mailboxes.companyId, companyId));
    const before = await state();
    const changes: [AnyEndpoint, object][] = [
      [mailboxesConsole.create, { body: { email: at("new"), name: "New" } }],
      [mailboxesConsole.update, { body: { name: "Eve" } }],
      [mailboxesConsole.update, { body: { orgUnitId: company.root } }],
      [mailboxAccessConsole.addAlias, { body: { address: at("new") } }],
      [mailboxAccessConsole.removeAlias, { params: { address: alias } }],
      [mailboxAccessConsole.resetPassword, {}],
      [mailboxesConsole.delete, {}],
    ];
    for (const [endpoint, rest] of changes)
      expect(
        await ask(endpoint, endpoint === mailboxesConsole.delete ? owner : cookie, inSales, rest),
      ).toMatchObject({ status: 502, body: { name: "mail_server_error" } });
    expect(await state()).toEqual(before);
    expect(await ask(mailboxesConsole.getOptions, cookie, "")).toMatchObject({ status: 200 });
  });
});
