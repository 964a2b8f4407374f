import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, expect, test } from "vitest";

import {
  identityProviders,
  mailboxes,
  mailboxSignIns,
  mailboxUsage,
} from "#drizzle/schema/index.ts";
import { effectivePrivileges } from "#server/core/access/privileges/privileges.ts";
import { readAllMailboxes } from "#server/core/mailboxes/mailboxes/mailbox-list.ts";
import { readOverview } from "#server/core/operations/overview/overview.ts";
import { seal } from "#server/core/shared/secrets/seal.ts";
import { db } from "#server/db/pool.ts";
import { aMailCompany, anOwnersSession, ask } from "#server/testing/console-mailboxes.ts";
import { aCompany, aContext, aDomain, aMailbox, anAlias } from "#server/testing/factories.ts";
import { anOwnDovecot } from "#server/testing/groups.ts";

import { mailboxesConsole } from "./console.ts";

let dovecot: Awaited<ReturnType<typeof anOwnDovecot>>;
let company: Awaited<ReturnType<typeof aMailCompany>>;

beforeAll(async () => {
  dovecot = await anOwnDovecot();
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  company = await aMailCompany();
  const { domain, at, companyId } = company;
  const other = await aDomain(companyId);
  await aMailbox(domain, { address: at("carla.ruiz"), name: "Carla Ruiz" });
  await aMailbox(domain, { address: at("info"), name: "Desk of carla" });
  const suspendedAt = new Date().toISOString();
  await aMailbox(other, { address: `carl@${other.name}`, name: "Carl_100%", suspendedAt });
  await aMailbox(await aDomain((await aCompany()).id), { name: "Carla of others" });
  company = { ...company, domain: other };
});

const list = async (query: Record<string, string> = {}) => {
  const { status, body } = await ask(mailboxesConsole.list, company.cookie, "", { query });
  expect(status).toBe(200);
  const { data, hasMore } = body as { data: { id: string }[]; hasMore: boolean };
  return { ids: data.map(({ id }) => id.split("@")[0]), hasMore };
};

test("is sorted by address and limited to the company", async () => {
  expect(await list()).toEqual({
    ids: ["carl", "carla.ruiz", "info", "root", "sales"],
    hasMore: false,
  });
});

test.each([
  ["carla", ["carla.ruiz", "info"]],
  ["CARL", ["carl", "carla.ruiz", "info"]],
  ["_100%", ["carl"]],
  ["%", ["carl"]],
  ["c_rl", []],
  ["\\", []],
  ["nobody", []],
])("search for %j matches addresses and names literally, ignoring case", async (search, ids) => {
  expect((await list({ search })).ids).toEqual(ids);
});

test("filters by domain and status", async () => {
  const { domain } = company;
  expect((await list({ domain: domain.name.toUpperCase() })).ids).toEqual(["carl"]);
  expect((await list({ status: "suspended" })).ids).toEqual(["carl"]);
  expect((await list({ status: "active", domain: domain.name })).ids).toEqual([]);
  const foreign = await aDomain((await aCompany()).id);
  const query = { domain: foreign.name };
  expect(await ask(mailboxesConsole.list, company.cookie, "", { query })).toMatchObject({
    status: 422,
    body: { message: expect.stringMatching(/^domain: /) as string },
  });
});

test("filters by state, and counts what it lists", async () => {
  const { inSales, inRoot, companyId } = company;
  await db()
    .insert(mailboxUsage)
    .values([
      { address: inSales, usedBytes: 256 * 1024 ** 2 },
      { address: inRoot, usedBytes: Math.ceil(0.9 * 256 * 1024 ** 2) },
    ]);
  await db().insert(mailboxSignIns).values({ address: inSales, lastSignIn: 1_772_442_727 });
  await db()
    .update(mailboxes)
    .set({ sendingHeldAt: new Date().toISOString(), forcePasswordChange: true })
    .where(eq(mailboxes.address, inRoot));
  const inState = async (status: string) => {
    const { body } = await ask(mailboxesConsole.list, company.cookie, "", { query: { status } });
    const { data, counts } = body as { data: { id: string }[]; counts: object };
    return [data.map(({ id }) => id.split("@")[0]), counts];
  };
  const some = (...ids: string[]) => [ids, { before: 0, total: ids.length, isCut: false }];
  expect(await inState("full")).toEqual(some("sales"));
  expect(await inState("nearly_full")).toEqual(some("root"));
  expect(await inState("on_hold")).toEqual(some("root"));
  expect(await inState("password_due")).toEqual(some("root"));
  await db()
    .insert(identityProviders)
    .values({
      companyId,
      issuer: "https://id.example.com",
      clientId: "posthouse",
      sealedClientSecret: seal("identity_provider_secret", "secret"),
      allowsMailboxes: true,
      requiredForMailboxes: true,
    });
  expect(await inState("password_due")).toEqual(some());
  expect(await inState("never_signed_in")).toEqual(some("carl", "carla.ruiz", "info", "root"));
  const overview = await readOverview(aContext(companyId), {
    ...effectivePrivileges({ isOwner: true, privileges: [], roles: [] }),
    email: "",
  });
  expect(overview.nearlyFull).toBe(1);
  expect(overview.problems).toContainEqual(
    expect.objectContaining({ kind: "mailboxes_full", count: 1 }),
  );
});

test.each([
  ["address", ["carl", "carla.ruiz", "info", "root", "sales"]],
  ["-address", ["sales", "root", "info", "carla.ruiz", "carl"]],
  ["name", ["carl", "carla.ruiz", "info", "sales", "root"]],
  ["-name", ["root", "sales", "info", "carla.ruiz", "carl"]],
  ["storage", ["carl", "info", "root", "sales", "carla.ruiz"]],
  ["-storage", ["carla.ruiz", "sales", "root", "info", "carl"]],
  ["sign_in", ["carl", "carla.ruiz", "root", "sales", "info"]],
  ["-sign_in", ["info", "sales", "root", "carla.ruiz", "carl"]],
])("sorts by %s, page by page in both directions", async (sort, ids) => {
  const { at, inRoot, inSales, cookie } = company;
  await db().update(mailboxes).set({ name: "zoe" }).where(eq(mailboxes.address, inRoot));
  await db().update(mailboxes).set({ name: "Yves" }).where(eq(mailboxes.address, inSales));
  await db()
    .insert(mailboxUsage)
    .values({ address: at("carla.ruiz"), usedBytes: 9 });
  await db()
    .insert(mailboxSignIns)
    .values({ address: at("info"), lastSignIn: 5 });
  expect((await list({ sort })).ids).toEqual(ids);
  const { body } = await ask(mailboxesConsole.list, cookie, "", { query: { sort } });
  const [first, second, third] = (body.data as { id: string }[]).map(({ id }) => id);
  const page = { sort, limit: "1" };
  expect(await list({ ...page, after: first! })).toEqual({ ids: [ids[1]], hasMore: true });
  expect(await list({ ...page, before: third! })).toEqual({ ids: [ids[1]], hasMore: true });
  const next = await ask(mailboxesConsole.list, cookie, "", { query: { ...page, after: second! } });
  expect(next.body.counts).toEqual({ before: 2, total: 5, isCut: false });
});

test("is empty after a mailbox that was deleted or isn't the company's", async () => {
  const { address } = await aMailbox(await aDomain((await aCompany()).id));
  for (const sort of ["name", "-name", "storage"]) {
    const { body } = await ask(mailboxesConsole.list, company.cookie, "", {
      query: { sort, after: "gone@nowhere.example" },
    });
    expect(body).toMatchObject({ data: [], counts: { total: 5 } });
    const { ids } = await list({ sort, after: address });
    for (const id of ids) expect(["carl", "carla.ruiz", "info", "root", "sales"]).toContain(id);
  }
});

test("is exported as CSV, filtered and sorted", async () => {
  const { cookie, inRoot, at } = company;
  await db().update(mailboxes).set({ name: "=1+1" }).where(eq(mailboxes.address, inRoot));
  await anAlias(company.domain, at("info"));
  const { body, headers } = (await ask(mailboxesConsole.export, cookie, "", {
    query: { sort: "-address", status: "active" },
  })) as unknown as { body: string; headers: Headers };
  expect(headers.get("content-disposition")).toBe(
    `attachment; filename="mailboxes.csv"; filename*=UTF-8''mailboxes.csv`,
  );
  const [head, ...rows] = body.split("\r\n");
  expect(head).toMatch(/^address,name,unit,/);
  expect(rows.map((row) => row.split("@")[0])).toEqual(["sales", "root", "info", "carla.ruiz", ""]);
  expect(rows[1]).toContain(`,"'=1+1",`);
  const foreign = await ask(
    mailboxesConsole.export,
    await anOwnersSession((await aCompany()).id),
    "",
    {},
  );
  expect(foreign.body).not.toContain("@");
});

test("an export has each mailbox once, although one is deleted and others move in the order meanwhile", async () => {
  const { companyId, inRoot, at } = company;
  const owner = effectivePrivileges({ isOwner: true, privileges: [], roles: [] });
  const use = (address: string, usedBytes: number) =>
    db()
      .insert(mailboxUsage)
      .values({ address, usedBytes })
      .onConflictDoUpdate({ target: mailboxUsage.address, set: { usedBytes } });
  await use(inRoot, 1_000);
  const search = { filter: {}, sort: { by: "storage", direction: "ascending" } } as const;
  const exported: string[] = [];
  for await (const [row] of readAllMailboxes(aContext(companyId), owner, search, 1)) {
    exported.push(row?.address.split("@")[0] ?? "deleted");
    if (exported.length > 1) continue;
    await use(row!.address, 2_000);
    await db()
      .delete(mailboxes)
      .where(eq(mailboxes.address, at("info")));
  }
  expect(exported).toEqual(["carl", "carla.ruiz", "deleted", "sales", "root"]);
});

test("pages through a filtered list forward and backward", async () => {
  const { cookie, domain } = company;
  const { body } = await ask(mailboxesConsole.list, cookie, "", { query: {} });
  const [carl, carla, info, root] = (body.data as { id: string }[]).map(({ id }) => id);
  expect(carl).toBe(`carl@${domain.name}`);
  const page = { search: "carl", limit: "1" };
  expect(await list(page)).toEqual({ ids: ["carl"], hasMore: true });
  expect(await list({ ...page, after: carl! })).toEqual({ ids: ["carla.ruiz"], hasMore: true });
  expect(await list({ ...page, after: carla! })).toEqual({ ids: ["info"], hasMore: false });
  expect(await list({ ...page, limit: "2", before: info! })).toEqual({
    ids: ["carl", "carla.ruiz"],
    hasMore: false,
  });
  expect(await list({ ...page, after: root! })).toEqual({ ids: [], hasMore: false });
});
