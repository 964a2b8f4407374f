import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, expect, test } from "vitest";

import {
  aliases,
  type Mailbox,
  mailboxes,
  mailboxSessions,
  mailboxShares,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import {
  findAccountUser,
  startAccountSession,
} from "#server/core/access/sessions/account-sessions.ts";
import { webmailPassword } from "#server/core/access/sessions/webmail-password.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, aDomain, aGroup, aMailbox, anAlias } from "#server/testing/factories.ts";

import { sessionsAccount } from "./sessions.ts";
import { webmailAccount } from "./webmail.ts";

let ann: Mailbox;
let shop: Mailbox;
let ben: Mailbox;
let alias: string;
let sales: string;
let closed: string;
let cookie: string;
let password: string;
let headers: { authorization: string };

beforeAll(async () => {
  const { id } = await aCompany({ name: "Northwind" });
  const domain = await aDomain(id);
  ann = await aMailbox(domain, { name: "Ann Example" });
  shop = await aMailbox(domain, { name: "Shop" });
  ben = await aMailbox(domain, { name: "Ben Suspended", suspendedAt: new Date().toISOString() });
  alias = await anAlias(domain, ann.address);
  const off = await anAlias(domain, ann.address);
  await db().update(aliases).set({ active: false }).where(eq(aliases.address, off));
  await anAlias(domain, ann.address, `*@${domain.name}`);
  const members = [ann.address];
  sales = (await aGroup(domain, { name: "Sales", membersSendAs: true, members })).address;
  closed = (await aGroup(domain, { name: "", members })).address;
  await aGroup(domain, { name: "Paused", active: false, members });
  const share = { mailbox: shop.address, member: ann.address, access: "write", sendAs: true };
  await db()
    .insert(mailboxShares)
    .values(share as typeof mailboxShares.$inferInsert);
  const other = await aDomain((await aCompany({ name: "Southwind" })).id);
  await aMailbox(other, { name: "Ann of Southwind" });
  await aGroup(other, { name: "Sales of Southwind" });
  const from = { clientAddress: "127.0.0.1", userAgent: "Firefox/1" };
  cookie = (await startAccountSession(db(), ann.address, from)).split(";")[0]!;
  const { sessionId } = (await findAccountUser(db(), cookie))!;
  password = (await webmailPassword(db(), sessionId))!;
  headers = basic(ann.address, password);
});
beforeEach(() => {
  config().webmail = { socketPath: "/run/webmail.sock" };
});

const basic = (address: string, password: string) => ({
  authorization: `Basic ${Buffer.from(`${address}:${password}`).toString("base64")}`,
});

const contacts = async (query: Record<string, string> = {}) =>
  (await call(webmailAccount.contacts, { headers, query })).body as {
    total: number;
    contacts: { address: string; name: string }[];
  };

test("the profile names every address that the user can send as, and no others", async () => {
  const { body } = await call(webmailAccount.profile, { headers });
  expect(body).toMatchObject({ name: "Ann Example", company: "Northwind" });
  const { identities } = body as { identities: { address: string; name: string }[] };
  expect(identities[0]).toEqual({ address: ann.address, name: "Ann Example" });
  expect(Object.fromEntries(identities.map(({ address, name }) => [address, name]))).toEqual({
    [ann.address]: "Ann Example",
    [alias]: "Ann Example",
    [sales]: "Sales",
    [shop.address]: "Shop",
  });
});

test("contacts are the mailboxes and groups of the company that receive mail", async () => {
  expect(await contacts()).toEqual({
    total: 4,
    contacts: [
      { address: closed, name: "" },
      { address: ann.address, name: "Ann Example" },
      { address: sales, name: "Sales" },
      { address: shop.address, name: "Shop" },
    ],
  });
  expect(await contacts({ first: "2", limit: "1" })).toEqual({
    total: 4,
    contacts: [{ address: sales, name: "Sales" }],
  });
  expect((await contacts({ search: "EXAMPLE ann" })).contacts).toMatchObject([
    { address: ann.address },
  ]);
  expect((await contacts({ search: shop.address, limit: "1" })).contacts).toMatchObject([
    { address: shop.address },
  ]);
  for (const search of [ben.address, "southwind", "%", "Paused"])
    expect((await contacts({ search })).total).toBe(0);
});

test.each<Record<string, string>>([
  { limit: "201" },
  { limit: "-1" },
  { first: "x" },
  { search: "x".repeat(201) },
])("rejects %o", async (query) => {
  expect((await call(webmailAccount.contacts, { headers, query })).status).toBe(422);
});

test.each<[string, () => Parameters<typeof call>[1]]>([
  ["nothing", () => ({})],
  ["the session of /account", () => ({ cookie })],
  ["the mailbox password", () => ({ headers: basic(ann.address, "test password") })],
  ["the password of another mailbox", () => ({ headers: basic(shop.address, password) })],
])("rejects %s", async (_, credentials) => {
  for (const endpoint of Object.values(webmailAccount))
    expect((await call(endpoint, credentials())).status).toBe(401);
});

test("responds only while webmail is on", async () => {
  config().webmail = null;
  for (const endpoint of Object.values(webmailAccount))
    expect((await call(endpoint, { headers })).status).toBe(401);
});

test("rejects a user who must change the password", async () => {
  const change = (forcePasswordChange: boolean) =>
    db().update(mailboxes).set({ forcePasswordChange }).where(eq(mailboxes.address, ann.address));
  await change(true);
  expect((await call(webmailAccount.profile, { headers })).status).toBe(401);
  await change(false);
});

test("/account offers webmail while it is set, and says which sessions use it", async () => {
  const me = () => call(sessionsAccount.getMe, { cookie });
  expect((await me()).body).toMatchObject({ hasWebmail: true });
  config().webmail = null;
  expect((await me()).body).toMatchObject({ hasWebmail: false });

  const sessions = async () =>
    (
      (await call(sessionsAccount.listSessions, { cookie })).body as {
        browsers: { usesWebmail: boolean }[];
      }
    ).browsers;
  expect(await sessions()).toMatchObject([{ usesWebmail: true }]);
  await db().update(mailboxSessions).set({ webmailUntil: null });
  expect(await sessions()).toMatchObject([{ usesWebmail: false }]);
  const { sessionId } = (await findAccountUser(db(), cookie))!;
  headers = basic(ann.address, (await webmailPassword(db(), sessionId))!);
});

test("a suspended user reads nothing", async () => {
  const suspendedAt = new Date().toISOString();
  await db().update(mailboxes).set({ suspendedAt }).where(eq(mailboxes.address, ann.address));
  expect((await call(webmailAccount.contacts, { headers })).status).toBe(401);
});
