import { eq, sql } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import {
  auditEntries,
  groups,
  groupUnits,
  mailboxShares,
  messages,
  orgUnits,
} from "#drizzle/schema/index.ts";
import { postToGroup } from "#server/core/mail/group-posts/post-to-group.ts";
import { listOwnAddresses } from "#server/core/mail/submission/submitter.ts";
import { listReaders } from "#server/core/mailboxes/addresses/require-may-open.ts";
import { createUnit } from "#server/core/mailboxes/org-units/units.ts";
import { listViewers } from "#server/core/mailboxes/shares/shares.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aMailCompany, anOwnersSession, ask } from "#server/testing/console-mailboxes.ts";
import { aSession } from "#server/testing/console-webhooks.ts";
import { aContext, aGroup, aMailbox, anAdmin, anApiKey } from "#server/testing/factories.ts";
import { anOwnDovecot } from "#server/testing/groups.ts";
import { aPost, reached as reachedBefore } from "#server/testing/posts.ts";

import { deletedItemsConsole } from "./deleted-items.ts";
import { groupsApi, groupsConsole } from "./groups.ts";
import { mailboxesConsole } from "./mailboxes/console.ts";
import { routesConsole } from "./routes.ts";
import { unitsConsole } from "./units.ts";

// A company with a mailbox in its root unit, one in Sales and one in Berlin, below Sales.

let dovecot: Awaited<ReturnType<typeof anOwnDovecot>>;
let company: Awaited<ReturnType<typeof aMailCompany>>;
let owner: string;
let berlin: number;
let inBerlin: string;
let team: string;

beforeAll(async () => {
  dovecot = await anOwnDovecot();
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  company = await aMailCompany();
  const { companyId, domain, sales } = company;
  owner = await anOwnersSession(companyId);
  berlin = await createUnit(aContext(companyId), { parentId: sales, name: "Berlin" });
  inBerlin = (await aMailbox(domain, { address: company.at("in-berlin"), orgUnitId: berlin }))
    .address;
  team = (await aGroup(domain, { address: company.at("team"), members: ["x@out.example"] }))
    .address;
});

const change = (body: object, { address = team, cookie = owner } = {}) =>
  call(groupsConsole.changeMembers, { cookie, params: { address }, body });
const read = async () =>
  (await call(groupsConsole.get, { cookie: owner, params: { address: team } })).body;
const move = (email: string, orgUnitId: number, cookie = owner) =>
  ask(mailboxesConsole.update, cookie, email, { body: { orgUnitId } });
const create = (name: string, orgUnitId: number, cookie = owner) =>
  ask(mailboxesConsole.create, cookie, "", {
    body: { email: company.at(name), name: "Eve", orgUnitId },
  });

/** To whom a post to the group goes, in order. */
async function reached(address = team): Promise<string[]> {
  await db().delete(messages).where(eq(messages.groupAddress, address));
  await postToGroup(db(), address, aPost());
  return reachedBefore(address);
}

describe("mail", () => {
  test("goes to the mailboxes that are in the unit and below it when it arrives", async () => {
    const { sales, root, inSales, inRoot } = company;
    await change({ addUnits: [sales] });
    expect(await reached()).toEqual([inBerlin, inSales, "x@out.example"].toSorted());

    await create("later", berlin);
    await move(inSales, root);
    expect(await reached()).toEqual([inBerlin, company.at("later"), "x@out.example"].toSorted());

    await change({ addUnits: [root, berlin], remove: ["x@out.example"], add: [inRoot] });
    expect(await reached()).toEqual([inBerlin, inRoot, inSales, company.at("later")].toSorted());
  });

  test("goes through nested groups, also in circles", async () => {
    const { domain, sales, inSales } = company;
    const outer = (await aGroup(domain, { address: company.at("outer"), members: [team] })).address;
    await change({ addUnits: [sales], add: [outer] });
    expect(await reached(outer)).toEqual([inBerlin, inSales, "x@out.example"].toSorted());
  });

  test("goes to thousands of mailboxes", async () => {
    const { domain, root } = company;
    const address = sql`'many' || n || ${`@${domain.name}`}`;
    const all = sql`from generate_series(1, 3000) n`;
    await db().execute(sql`insert into addresses (address, company_id, domain_id, kind)
      select ${address}, ${domain.companyId}, ${domain.id}, 'mailbox' ${all}`);
    await db()
      .execute(sql`insert into mailboxes (address, company_id, domain_id, org_unit_id, name, password_hash, quota_mb, store)
      select ${address}, ${domain.companyId}, ${domain.id}, ${root}, 'Many', '', 256, ${address} ${all}`);
    await change({ addUnits: [root] });
    expect(await reached()).toHaveLength(3_000 + 4);
  });

  test("is accepted from the unit's mailboxes if only members can post, and they can send as the group", async () => {
    const { sales, inSales, inRoot, companyId } = company;
    await change({ addUnits: [sales] });
    await db()
      .update(groups)
      .set({ posting: "members", membersSendAs: true })
      .where(eq(groups.address, team));
    const post = (from: string) => postToGroup(db(), team, aPost({ from }));
    expect(await post(inBerlin)).toMatchObject({ kind: "distributed" });
    expect(await post(inRoot)).toMatchObject({ kind: "refused" });
    const addressesOf = async (address: string) =>
      (await listOwnAddresses(db(), { address, companyId })).map((own) => own.address);
    expect(await addressesOf(inSales)).toEqual([inSales, team]);
    expect(await addressesOf(inRoot)).toEqual([inRoot]);
  });

  test("is shown going to each mailbox by the search for an address", async () => {
    await change({ addUnits: [company.sales], remove: ["x@out.example"] });
    const { body } = await call(routesConsole.find, { cookie: owner, query: { address: team } });
    expect((body as { stops: { target: string }[] }).stops.map(({ target }) => target)).toEqual([
      team,
      ...[inBerlin, company.inSales].toSorted(),
    ]);
  });
});

describe("a unit as a member", () => {
  test("is shown by name with its mailboxes, listed, exported, found, and removed", async () => {
    const { sales, root } = company;
    expect(await change({ addUnits: [sales, root, sales] })).toMatchObject({ status: 200 });
    await change({ addUnits: [sales] });
    const shown = await read();
    const { name } = (await db().select().from(orgUnits).where(eq(orgUnits.id, root)))[0]!;
    const units = [
      { id: sales, name: "Sales", isRoot: false, mailboxes: 2 },
      { id: root, name, isRoot: true, mailboxes: 3 },
    ];
    // The mailboxes in Sales are also in the unit above it.
    expect(shown).toMatchObject({ members: ["x@out.example"], memberCount: 4 });
    expect((shown as { units: typeof units }).units.toSorted((a) => (a.isRoot ? 1 : -1))).toEqual(
      units,
    );
    for (const sort of ["members", "-members"]) {
      const query = { search: "sale", sort };
      const { body } = await call(groupsConsole.list, { cookie: owner, query });
      expect(body).toMatchObject({ data: [{ id: team, memberCount: 4 }] });
    }
    expect(await change({ add: [inBerlin] })).toMatchObject({ body: { memberCount: 4 } });
    await change({ remove: [inBerlin] });
    const { body: csv } = await call(groupsConsole.export, { cookie: owner, query: {} });
    expect(csv).toContain("Sales");
    const { body } = await ask(mailboxesConsole.get, owner, inBerlin);
    expect(body.groups).toEqual([{ address: team, isMember: false }]);

    await change({ removeUnits: [root] });
    for (let i = 0; i < 2; i++) await change({ removeUnits: [sales] });
    expect(await read()).toMatchObject({ units: [], memberCount: 1 });
    expect(await audited()).toEqual([
      ["group.unit_added", { group: team, unit: sales, name: "Sales" }],
      ["group.unit_added", { group: team, unit: root, name }],
      ["group.unit_removed", { group: team, unit: root, name }],
      ["group.unit_removed", { group: team, unit: sales, name: "Sales" }],
    ]);
  });

  test("can be given when the group is created", async () => {
    const body = { address: company.at("new"), name: "", members: [], units: [company.sales] };
    expect(await call(groupsConsole.create, { cookie: owner, body })).toMatchObject({
      status: 200,
      body: { memberCount: 2, units: [{ name: "Sales" }] },
    });
  });

  test("can't be another company's, unknown, or one of too many; nothing changes then", async () => {
    const other = await aMailCompany();
    const ctx = aContext(company.companyId);
    const many: number[] = [];
    for (let i = 0; i < 21; i++)
      many.push(await createUnit(ctx, { parentId: null, name: `Unit ${i}` }));
    for (const addUnits of [
      [other.sales],
      [2_147_483_647],
      [2_147_483_648],
      [0],
      [1.5],
      ["x"],
      many,
    ])
      expect(await change({ add: ["y@out.example"], addUnits })).toMatchObject({ status: 422 });
    expect(
      await change(
        { addUnits: [company.sales] },
        { cookie: await anOwnersSession(other.companyId) },
      ),
    ).toMatchObject({ status: 404 });
    expect(await read()).toMatchObject({ members: ["x@out.example"], units: [] });
    const reader = await aSession(company.companyId, ["view_groups"]);
    expect(await change({ addUnits: [company.sales] }, { cookie: reader })).toMatchObject({
      status: 403,
    });
  });

  test("stays when the API replaces the members, and isn't among them", async () => {
    await change({ addUnits: [company.sales] });
    const { token: key } = await anApiKey(company.companyId, { privileges: ["manage_groups"] });
    const params = { address: team };
    expect(await call(groupsApi.update, { key, params, body: { members: [] } })).toMatchObject({
      status: 200,
      body: { object: "group", address: team, members: [] },
    });
    expect(await reached()).toEqual([inBerlin, company.inSales].toSorted());
  });

  test("is removed, and audited, when the unit is deleted", async () => {
    const ctx = aContext(company.companyId);
    const empty = await createUnit(ctx, { parentId: null, name: "Empty" });
    await change({ addUnits: [empty] });
    expect(
      await call(unitsConsole.delete, { cookie: owner, params: { id: String(empty) } }),
    ).toMatchObject({ status: 200 });
    expect((await audited()).at(-1)).toEqual([
      "group.unit_removed",
      { group: team, unit: empty, name: "Empty" },
    ]);
    expect(await read()).toMatchObject({ units: [] });
  });

  test("is restored with its group, unless it was deleted meanwhile", async () => {
    const ctx = aContext(company.companyId);
    const empty = await createUnit(ctx, { parentId: null, name: "Empty" });
    await change({ addUnits: [empty, company.sales] });
    const { body } = await call(groupsConsole.delete, { cookie: owner, params: { address: team } });
    await call(unitsConsole.delete, { cookie: owner, params: { id: String(empty) } });
    const params = { id: (body as { deletedId: string }).deletedId };
    expect(await call(deletedItemsConsole.restore, { cookie: owner, params })).toMatchObject({
      status: 200,
    });
    expect(await read()).toMatchObject({ units: [{ name: "Sales" }] });
  });

  test("added by two admins at the same time is there once", async () => {
    const results = await Promise.all(
      [1, 2, 3, 4].map(() => change({ addUnits: [company.sales] })),
    );
    expect(results.map(({ status }) => status)).toEqual([200, 200, 200, 200]);
    expect(await db().$count(groupUnits, eq(groupUnits.groupAddress, team))).toBe(1);
    expect(await audited()).toHaveLength(1);
  });
});

describe("access", () => {
  test("to mailboxes that are shared with the group follows the unit", async () => {
    const { sales, root, inSales, inRoot } = company;
    await change({ addUnits: [sales] });
    await db()
      .insert(mailboxShares)
      .values({ mailbox: inRoot, member: team, access: "read", sendAs: false });
    expect(await listViewers(db(), inRoot)).toEqual([inBerlin, inSales].toSorted());
    await move(inSales, root);
    expect(await listViewers(db(), inRoot)).toEqual([inBerlin]);
  });

  test("isn't gained by admins who create or move mailboxes into a unit that gets an owner's mail", async () => {
    const { companyId, sales, root, inRoot } = company;
    const boss = company.at("boss");
    await aMailbox(company.domain, { address: boss, orgUnitId: root });
    await anAdmin(companyId, { email: team, isOwner: true });
    await change({ addUnits: [sales] });
    expect((await listReaders(db(), team)).map(({ address }) => address)).toContain(inBerlin);
    const desk = await aSession(companyId, ["create_users", "update_users"]);
    for (const answer of [await create("eve", berlin, desk), await move(inRoot, sales, desk)])
      expect(answer).toMatchObject({ status: 403, body: { name: "invalid_permission" } });
    expect(await create("eve", root, desk)).toMatchObject({ status: 200 });
    const aside = await createUnit(aContext(companyId), { parentId: root, name: "Aside" });
    const mover = await aSession(companyId, ["view_users", "manage_settings"]);
    const moved = await call(unitsConsole.update, {
      cookie: mover,
      params: { id: String(aside) },
      body: { parentId: berlin },
    });
    expect(moved).toMatchObject({ status: 403, body: { name: "invalid_permission" } });
    // Nor can they make the unit a member.
    const manager = await aSession(companyId, ["manage_groups", "view_groups"]);
    await change({ removeUnits: [sales] });
    expect(await change({ addUnits: [sales] }, { cookie: manager })).toMatchObject({ status: 403 });
  });
});

const audited = async () =>
  (
    await db()
      .select()
      .from(auditEntries)
      .where(eq(auditEntries.companyId, company.companyId))
      .orderBy(auditEntries.id)
  )
    .filter(({ action }) => action.startsWith("group.unit"))
    .map(({ action, details }) => [action, details]);
