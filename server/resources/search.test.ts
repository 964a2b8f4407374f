import { eq } from "drizzle-orm";
import { beforeAll, describe, expect, test } from "vitest";

import { mailboxes, mailboxRules, orgUnits, roles } from "#drizzle/schema/index.ts";
import { type Privilege, PRIVILEGES } from "#server/universal/privileges.ts";
import { createUnit } from "#server/core/mailboxes/org-units/units.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aMailCompany, aSessionOfRole } from "#server/testing/console-mailboxes.ts";
import { aSession } from "#server/testing/console-webhooks.ts";
import {
  aDomain,
  aGroup,
  aContext,
  aMailbox,
  anAdmin,
  anAlias,
  anApiKey,
  anInboundAddress,
  aTemplate,
  aWebhook,
} from "#server/testing/factories.ts";
import { send } from "#server/testing/console-emails.ts";

import { overviewConsole } from "./overview.ts";

type Found = { kind: string; id: string; title: string; detail: string; actions: string[] };

async function find(cookie: string, q: string, kinds?: string): Promise<Found[]> {
  const query = { q, ...(kinds !== undefined && { kinds }) };
  const { status, body } = await call(overviewConsole.search, { cookie, query });
  expect(status).toBe(200);
  return (body as { data: Found[] }).data;
}

const kinds = (found: Found[]) => found.map(({ kind }) => kind).sort();

/** A company with one object of every kind, each named after it, and their ids. */
async function aFullCompany() {
  const company = await aMailCompany();
  const { companyId, domain, at } = company;
  await aGroup(domain, { address: at("zebra-group"), name: "Zebras" });
  await aMailbox(domain, { address: at("box"), name: "Ann Zebra", orgUnitId: company.root });
  const hook = await aWebhook(companyId, { endpoint: "https://zebra.example/hook" });
  const named = await aDomain(companyId, { name: `zebra-${companyId}.example` });
  const colleague = await anAdmin(companyId, {
    name: "Zebra Keeper",
    privileges: ["api_controls"],
  });
  const key = await anApiKey(companyId, { creatorId: colleague.id });
  const all = await aSession(companyId, [...PRIVILEGES]);
  const sender = { companyId, domain, keyId: key.id, token: key.token, cookie: all };
  const email = await send(sender, { subject: "Zebra crossing" });
  return { ...company, all, hook, named, colleague, key, email };
}

let company: Awaited<ReturnType<typeof aFullCompany>>;
let other: typeof company;
beforeAll(async () => {
  [company, other] = [await aFullCompany(), await aFullCompany()];
});

test("finds every kind by part of its name, case-insensitively, in one company only", async () => {
  const found = await find(company.all, " ZEBRA ");
  expect(kinds(found)).toEqual(["admin", "domain", "email", "group", "mailbox", "webhook"]);
  expect(found.find(({ kind }) => kind === "mailbox")).toMatchObject({
    id: company.at("box"),
    detail: "Ann Zebra",
  });
  expect(kinds(await find(company.all, "Test key"))).toEqual(["api_key"]);
});

test("finds objects and emails by ID, but not another company's", async () => {
  const ids = ({ hook, named, colleague, key, email }: typeof company) => [
    hook.id,
    named.id,
    colleague.id,
    key.id,
    email,
  ];
  for (const id of ids(company)) expect(await find(company.all, id)).toMatchObject([{ id }]);
  for (const id of ids(other)) expect(await find(company.all, id)).toEqual([]);
});

test("finds emails by subject and recipient, newest first", async () => {
  const { companyId, domain, key, all, email } = company;
  const sender = { companyId, domain, keyId: key.id, token: key.token, cookie: all };
  const newer = await send(sender, {
    subject: "Crossing the Alps",
    to: [{ name: "Ida", address: "ida@hotel.example" }],
  });
  const found = async (text: string) => (await find(all, text, "email")).map(({ id }) => id);
  expect(await found("crossing")).toEqual([newer, email]);
  expect(await found("alps crossing")).toEqual([newer]);
  expect(await found("IDA@hotel")).toEqual([newer]);
  expect(await found(`<${newer.toUpperCase()}@${domain.name}>`)).toEqual([newer]);
  expect(await found("al")).toEqual([]);
  expect(await find(other.all, "alps")).toEqual([]);
  expect(await find(await aSession(companyId, ["domains"]), "alps")).toEqual([]);
});

test("searches only the given kinds", async () => {
  expect(kinds(await find(company.all, "zebra", "mailbox,group"))).toEqual(["group", "mailbox"]);
  const { status } = await call(overviewConsole.search, {
    cookie: company.all,
    query: { q: "zebra", kinds: "mailbox,secret" },
  });
  expect(status).toBe(422);
});

test("offers the actions that the admin may take on each mailbox", async () => {
  const { companyId, sales, inSales, inRoot, domain } = company;
  const actions = async (cookie: string) =>
    Object.fromEntries(
      (await find(cookie, domain.name, "mailbox")).map(({ id, actions }) => [id, actions]),
    );
  const ofSales = await aSessionOfRole(companyId, sales, ["view_users", "reset_user_passwords"]);
  expect(await actions(ofSales)).toEqual({ [inSales]: ["reset_password"] });
  const viewer = await aSession(companyId, ["view_users"]);
  expect((await actions(viewer))[inRoot]).toEqual([]);
  const suspends = await aSession(companyId, ["view_users", "suspend_users"]);
  expect((await actions(suspends))[inRoot]).toEqual(["suspend"]);
  const change = { suspendedAt: new Date().toISOString() };
  await db().update(mailboxes).set(change).where(eq(mailboxes.address, inRoot));
  expect((await actions(suspends))[inRoot]).toEqual(["restore"]);
});

test("finds only what the admin can list", async () => {
  const seen = async (...privileges: Privilege[]) =>
    kinds(await find(await aSession(company.companyId, privileges), "e"));
  expect(await seen()).toEqual([]);
  expect(new Set(await seen("view_users"))).toEqual(new Set(["mailbox", "unit"]));
  expect(new Set(await seen("view_groups"))).toEqual(new Set(["group"]));
  expect(new Set(await seen("domains"))).toEqual(new Set(["domain"]));
  expect(new Set(await seen("manage_admins"))).toEqual(new Set(["admin", "role"]));
  expect(new Set(await seen("view_emails"))).toEqual(new Set());
  expect(new Set(await seen("api_controls"))).toEqual(new Set(["domain", "api_key", "webhook"]));
  const outsider = await aSession(company.companyId, ["domains"]);
  expect(await find(outsider, company.email)).toEqual([]);
  const reader = await aSession(company.companyId, ["view_emails"]);
  expect(await find(reader, company.email)).toMatchObject([{ kind: "email" }]);
});

test("a unit role finds only that unit and its mailboxes", async () => {
  const { companyId, sales, inSales, inRoot, domain } = company;
  const cookie = await aSessionOfRole(companyId, sales);
  expect((await find(cookie, domain.name)).map(({ id }) => id)).toEqual([inSales]);
  await anAlias(domain, inRoot, company.at("secret"));
  expect(await find(cookie, "secret@")).toEqual([]);
  expect(await find(cookie, "sales", "unit")).toMatchObject([{ id: `${sales}`, title: "Sales" }]);
  const [name] = await db()
    .select({ name: orgUnits.name })
    .from(orgUnits)
    .where(eq(orgUnits.id, company.root));
  expect(await find(cookie, name!.name, "unit")).toEqual([]);
});

test("finds a mailbox by its alias and by where it forwards to", async () => {
  const { domain, inRoot, at } = company;
  await anAlias(domain, inRoot, at("reception"));
  const rules = { mailbox: inRoot, forwardTo: ["Private@home.example"], scriptId: "1" };
  await db().insert(mailboxRules).values(rules);
  const found = async (text: string) =>
    (await find(company.all, text, "mailbox")).map(({ id, detail }) => [id, detail]);
  expect(await found("RECEPTION")).toEqual([[inRoot, expect.stringContaining(at("reception"))]]);
  expect(await found("private@home")).toEqual([
    [inRoot, expect.stringContaining("Private@home.example")],
  ]);
  expect(await find(other.all, "private@home")).toEqual([]);
});

test("finds units, roles, templates and inbound addresses by name", async () => {
  const { companyId, domain, at } = company;
  await anInboundAddress(domain, at("yak"));
  await createUnit(aContext(companyId), { parentId: null, name: "Yak team" });
  await db().insert(roles).values({ companyId, name: "Yak keeper" });
  await aTemplate(companyId, { name: "Yak news" });
  expect(kinds(await find(company.all, "yak"))).toEqual(["inbound", "role", "template", "unit"]);
  expect(await find(other.all, "yak")).toEqual([]);
  expect(kinds(await find(await aSession(companyId, ["view_groups"]), "yak"))).toEqual(["inbound"]);
});

test("words match in any order, and apostrophes in any shape", async () => {
  const { domain, at, root } = company;
  await aMailbox(domain, { address: at("zoe"), name: "Zoe D’Arc", orgUnitId: root });
  for (const text of ["D'Arc", "arc zoe", "ZOE D’A"])
    expect((await find(company.all, text)).map(({ id }) => id)).toEqual([at("zoe")]);
});

test("an exact match comes before other kinds", async () => {
  const { domain, at, companyId } = company;
  await aMailbox(domain, { address: at("exact.more"), orgUnitId: company.root });
  const name = `exact-${companyId.slice(-6)}.example`;
  await aDomain(companyId, { name });
  await aGroup(domain, { address: `info@${name}`, name: "" });
  expect((await find(company.all, name))[0]).toMatchObject({ kind: "domain", title: name });
});

describe("special characters in a search are literal", () => {
  test.each(["%", "z_bra", "\\", "\0", "''", "zebra' or 1=1 --", "", "   "])("%j", async (q) => {
    expect(await find(company.all, q)).toEqual([]);
  });
});

test("returns five of each kind, prefix matches first", async () => {
  for (let i = 0; i < 6; i++)
    await aMailbox(company.domain, { address: company.at(`many${i}`), orgUnitId: company.root });
  await aMailbox(company.domain, { address: company.at("a.many"), orgUnitId: company.root });
  const found = await find(company.all, "many");
  expect(found.map(({ id }) => id)).toEqual([0, 1, 2, 3, 4].map((i) => company.at(`many${i}`)));
});
