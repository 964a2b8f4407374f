import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import { deletedItems, mailboxUsage } from "#drizzle/schema/index.ts";
import { mailboxesConsole } from "#server/resources/mailboxes/console.ts";
import { settingsConsole } from "./settings.ts";
import { PRIVILEGES } from "#server/universal/privileges.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import type { AnyEndpoint } from "#server/http/endpoint.ts";
import { aMailCompany, anOwnersSession, ask } from "#server/testing/console-mailboxes.ts";
import { aSession, callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany } from "#server/testing/factories.ts";
import { anOwnDovecot } from "#server/testing/groups.ts";

import { deletedItemsConsole } from "./deleted-items.ts";

type Row = { id: string; name: string; finalAt: string; deletedAt: string };
type List = { data: Row[]; hasMore: boolean; keptDays: number; storageBytes: number };

const ofItem = [deletedItemsConsole.restore, deletedItemsConsole.deletePermanently].map(
  (endpoint) => [`${endpoint.method} ${endpoint.path}`, endpoint as AnyEndpoint] as const,
);
const all = [...ofItem, ["the list", deletedItemsConsole.list as AnyEndpoint] as const];

let dovecot: Awaited<ReturnType<typeof anOwnDovecot>>;
let company: Awaited<ReturnType<typeof aMailCompany>>;
let owner: string;

beforeAll(async () => {
  dovecot = await anOwnDovecot();
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  company = await aMailCompany();
  owner = await anOwnersSession(company.companyId);
});

const list = async (cookie = owner, query: Record<string, string> = {}) =>
  (await callFromPage(deletedItemsConsole.list, { cookie, query })).body as List;
const at = (endpoint: AnyEndpoint, id: string, cookie = owner) =>
  callFromPage(endpoint, { cookie, params: { id } });
async function aDeleted(email = company.inSales): Promise<string> {
  const { status, body } = await ask(mailboxesConsole.delete, owner, email);
  expect(status).toBe(200);
  return body.deletedId as string;
}

test.each(all)(
  "%s: 401 without a session, 403 for an admin who isn't an owner",
  async (_, endpoint) => {
    const params = { id: await aDeleted() };
    expect(await callFromPage(endpoint, { params })).toMatchObject({ status: 401 });
    const cookie = await aSession(company.companyId, [...PRIVILEGES]);
    expect(await callFromPage(endpoint, { cookie, params })).toMatchObject({
      status: 403,
      body: { name: "invalid_permission" },
    });
  },
);

test.each(ofItem)(
  "%s: 404 for another company's item, unknown and malformed IDs, and the second time",
  async (_, endpoint) => {
    const id = await aDeleted();
    const other = await anOwnersSession((await aCompany()).id);
    for (const [one, cookie] of [
      [id, other],
      [randomUUID(), owner],
      ["x", owner],
    ] as const)
      expect(await at(endpoint, one, cookie)).toMatchObject({
        status: 404,
        body: { name: "not_found", message: "Not found. It was restored or deleted permanently" },
      });
    expect(await at(endpoint, id)).toMatchObject({
      status: 200,
      body: { kind: "mailbox", name: company.inSales },
    });
    expect((await at(endpoint, id)).status).toBe(404);
  },
);

test("the list says what was deleted, by whom, how much it stores and until when it can be restored", async () => {
  await db()
    .insert(mailboxUsage)
    .values({ address: company.inSales, usedBytes: 4_096, messages: 2 });
  const id = await aDeleted();
  const { body: usage } = await callFromPage(settingsConsole.getUsage, { cookie: owner });
  expect(usage).toMatchObject({ storage: { usedBytes: 4_096, deletedBytes: 4_096 } });
  await aDeleted(company.inRoot);
  const found = await list();
  expect(found).toMatchObject({ keptDays: 20, storageBytes: 4_096, hasMore: false });
  expect(found.data.map(({ name }) => name)).toEqual([company.inRoot, company.inSales]);
  expect(found.data[1]).toMatchObject({
    id,
    kind: "mailbox",
    title: "Ann Example",
    storageBytes: 4_096,
    messages: 2,
    deletedBy: expect.stringContaining("@example.com") as string,
  });
  const { deletedAt, finalAt } = found.data[1]!;
  expect(Date.parse(finalAt) - Date.parse(deletedAt)).toBe(20 * 86_400_000);
  expect((await list(owner, { limit: "1" })).hasMore).toBe(true);
  const rest = await list(owner, { limit: "1", after: found.data[0]!.id });
  expect(rest.data.map(({ name }) => name)).toEqual([company.inSales]);
  expect(await list(await anOwnersSession((await aCompany()).id))).toMatchObject({
    data: [],
    storageBytes: 0,
  });
});

test("the setting decides until when", async () => {
  await aDeleted();
  await changeSetting(db(), "keep_deleted_days", "5");
  const { data, keptDays } = await list();
  expect(keptDays).toBe(5);
  expect(Date.parse(data[0]!.finalAt) - Date.parse(data[0]!.deletedAt)).toBe(5 * 86_400_000);
  await changeSetting(db(), "keep_deleted_days", "20");
});

test("a deleted mailbox is in no list and not found; restored, it is again", async () => {
  const email = company.inSales;
  const id = await aDeleted();
  const listed = async () => {
    const { body } = await callFromPage(mailboxesConsole.list, { cookie: owner });
    return (body as List).data.map((row) => row.id);
  };
  expect(await listed()).not.toContain(email);
  expect((await ask(mailboxesConsole.get, owner, email)).status).toBe(404);
  expect(
    await ask(mailboxesConsole.create, owner, "", { body: { email, name: "Eve" } }),
  ).toMatchObject({
    status: 409,
    body: {
      name: "already_exists",
      fields: [
        { path: "email", message: expect.stringContaining("An owner can restore it") as string },
      ],
    },
  });
  await at(deletedItemsConsole.restore, id);
  expect(await listed()).toContain(email);
  expect((await ask(mailboxesConsole.get, owner, email)).status).toBe(200);
  expect(await db().$count(deletedItems, eq(deletedItems.companyId, company.companyId))).toBe(0);
});

test("the list shows which mailbox gets the mail of a deleted one, until that is restored", async () => {
  const { inSales: email, inRoot } = company;
  const other = await aMailCompany();
  const remove = (deliverTo: string) =>
    ask(mailboxesConsole.delete, owner, email, { body: { deliverTo } });
  for (const wrong of [other.inRoot, email, `unknown-${email}`, "x"])
    expect(await remove(wrong)).toMatchObject({
      status: 422,
      body: {
        fields: [
          {
            path: "deliverTo",
            message: "Mail can only be delivered to another mailbox of your company.",
          },
        ],
      },
    });
  expect((await list()).data).toEqual([]);

  const { body } = await remove(inRoot);
  expect((await list()).data).toMatchObject([{ name: email, deliversTo: inRoot }]);
  expect((await ask(mailboxesConsole.get, owner, inRoot)).body.aliases).toEqual([email]);
  await at(deletedItemsConsole.restore, body.deletedId as string);
  expect((await ask(mailboxesConsole.get, owner, inRoot)).body.aliases).toEqual([]);

  await aDeleted();
  expect((await list()).data).toMatchObject([{ name: email, deliversTo: null }]);
});
