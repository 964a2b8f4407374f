import { eq, inArray } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { addresses, auditEntries, groupMembers, groups } from "#drizzle/schema/index.ts";
import { addMembers } from "#server/core/mailboxes/groups/groups.ts";
import { UNIT_PRIVILEGES } from "#server/universal/privileges.ts";
import { db } from "#server/db/pool.ts";
import { untilBlocked } from "#server/testing/blocked.ts";
import { aMailCompany, anOwnersSession, ask } from "#server/testing/console-mailboxes.ts";
import { aSession } from "#server/testing/console-webhooks.ts";
import { aContext, aDomain, aGroup, aMailbox } from "#server/testing/factories.ts";
import { anOwnDovecot } from "#server/testing/groups.ts";

import { mailboxesConsole } from "./console.ts";

let dovecot: Awaited<ReturnType<typeof anOwnDovecot>>;
let company: Awaited<ReturnType<typeof aMailCompany>> & { owner: string };

beforeAll(async () => {
  dovecot = await anOwnDovecot();
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  const mailCompany = await aMailCompany();
  company = { ...mailCompany, owner: await anOwnersSession(mailCompany.companyId) };
});

const create = (body: object, cookie = company.owner) =>
  ask(mailboxesConsole.create, cookie, "", {
    body: { email: company.at("new"), name: "New Person", ...body },
  });
const membersOf = async (group: string) => {
  const rows = await db().select().from(groupMembers).where(eq(groupMembers.groupAddress, group));
  return rows.map(({ member }) => member);
};
const audited = async () => {
  const entries = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.companyId, company.companyId))
    .orderBy(auditEntries.createdAt, auditEntries.id);
  return entries.filter(({ action }) => /^(mailbox|alias|group)\./.test(action));
};

describe("with aliases and groups", () => {
  test("creates all of them and records each", async () => {
    const { at, domain, sales } = company;
    const [team, staff] = [await aGroup(domain), await aGroup(domain)];
    const made = await create({
      orgUnitId: sales,
      aliases: [at("Zoe"), at("n.person")],
      groups: [staff.address.toUpperCase(), team.address],
    });
    expect(made).toMatchObject({ status: 200, body: { id: at("new") } });
    const { body } = await ask(mailboxesConsole.get, company.owner, at("new"));
    expect(body).toMatchObject({
      aliases: [at("n.person"), at("zoe")],
      orgUnit: { id: sales },
      groups: [team.address, staff.address].sort().map((address) => ({ address, isMember: true })),
    });
    const actions = (await audited()).map(({ action }) => action);
    expect(actions).toEqual([
      "mailbox.created",
      "alias.added",
      "alias.added",
      "group.member_added",
      "group.member_added",
    ]);
  });

  test("stays a member of a group that kept the address of an earlier mailbox", async () => {
    const team = await aGroup(company.domain, { members: [company.at("new")] });
    expect((await create({ groups: [team.address] })).status).toBe(200);
    expect(await membersOf(team.address)).toEqual([company.at("new")]);
  });

  test("names every invalid field", async () => {
    const body = { email: "ann", aliases: ["x", company.at("ok")], groups: ["y"] };
    expect(await create({ ...body, instructionsTo: "z" })).toMatchObject({
      status: 422,
      body: {
        fields: [
          { path: "email" },
          { path: "aliases[0]" },
          { path: "groups[0]" },
          { path: "instructionsTo" },
        ],
      },
    });
  });

  describe("changes nothing", () => {
    let foreign: Awaited<ReturnType<typeof aMailCompany>>;
    let foreignGroup: string;
    beforeAll(async () => {
      foreign = await aMailCompany();
      foreignGroup = (await aGroup(foreign.domain)).address;
    });

    test.each([
      ["another company's group", () => ({ groups: [foreignGroup] }), 422, "groups[1]"],
      ["a mailbox as a group", () => ({ groups: [company.inSales] }), 422, "groups[1]"],
      ["another company's unit", () => ({ orgUnitId: foreign.sales }), 422, "orgUnitId"],
      ["another company's domain", () => ({ aliases: [foreign.at("a")] }), 422, "aliases[0]"],
      ["an alias in use", () => ({ aliases: [company.inRoot] }), 409, "aliases[0]"],
      ["its own address as an alias", () => ({ aliases: [company.at("new")] }), 422, "aliases[0]"],
      [
        "the same alias twice",
        () => ({ aliases: [company.at("a"), company.at("A")] }),
        422,
        "aliases[1]",
      ],
      ["21 aliases", () => ({ aliases: manyAliases() }), 422, "aliases"],
      ["51 groups", () => ({ groups: Array<string>(51).fill(company.inRoot) }), 422, "groups"],
      [
        "the mailbox's own address",
        () => ({ instructionsTo: company.at("NEW") }),
        422,
        "instructionsTo",
      ],
    ])("for %s", async (_, wrong, status, path) => {
      const team = await aGroup(company.domain);
      const asked = wrong() as { groups?: string[] };
      const groups = asked.groups?.length === 1 ? [team.address, ...asked.groups] : asked.groups;
      const given = { aliases: [company.at("fine")], ...asked, groups: groups ?? [team.address] };
      expect(await create(given)).toMatchObject({ status, body: { fields: [{ path }] } });
      const wanted = [company.at("new"), company.at("fine"), foreign.at("a")];
      expect(await db().$count(addresses, inArray(addresses.address, wanted))).toBe(0);
      expect([...(await membersOf(team.address)), ...(await membersOf(foreignGroup))]).toEqual([]);
      expect(await audited()).toEqual([]);
    });

    const manyAliases = () => Array.from({ length: 21 }, (_, i) => company.at(`a${i}`));

    test("for a full group", async () => {
      const members = Array.from({ length: 200 }, (_, i) => `m${i}@example.com`);
      const full = await aGroup(company.domain, { members });
      expect(await create({ groups: [full.address] })).toMatchObject({
        status: 422,
        body: { message: "groups[0]: has 200 members already" },
      });
      expect(await audited()).toEqual([]);
    });

    test.each([
      ["aliases", ["create_users", "manage_groups"], () => ({ aliases: [company.at("a")] })],
      ["groups", [...UNIT_PRIVILEGES], (team: string) => ({ groups: [team] })],
    ] as const)("without the privilege for %s", async (_, privileges, body) => {
      const team = await aGroup(company.domain);
      const cookie = await aSession(company.companyId, [...privileges]);
      expect(await create(body(team.address), cookie)).toMatchObject({ status: 403 });
      expect(await audited()).toEqual([]);
      expect((await create({}, cookie)).status).toBe(200);
    });
  });

  test("a role limited to a unit can't add aliases in another or join groups", async () => {
    const { at, sales, ofSales, root, domain } = company;
    const team = await aGroup(domain);
    const inSales = { orgUnitId: sales };
    expect(await create({ orgUnitId: root, aliases: [at("a")] }, ofSales)).toMatchObject({
      status: 403,
    });
    expect(await create({ ...inSales, groups: [team.address] }, ofSales)).toMatchObject({
      status: 403,
    });
    expect((await create({ ...inSales, aliases: [at("a")] }, ofSales)).status).toBe(200);
  });

  test("a group's last place isn't taken by two people at the same time", async () => {
    const { address } = await aGroup(company.domain);
    const members = Array.from({ length: 199 }, (_, i) => `m${i}@example.com`);
    await addMembers(aContext(company.companyId), address, members);
    const answer = await db().transaction(async (tx) => {
      await tx.select().from(groups).where(eq(groups.address, address)).for("update");
      await tx.insert(groupMembers).values({ groupAddress: address, member: "last@example.com" });
      const creating = create({ groups: [address] });
      await untilBlocked();
      return () => creating;
    });
    expect((await answer()).status).toBe(422);
    expect(await membersOf(address)).toHaveLength(200);
  });
});

test("suggests the verified domain with the most mailboxes", async () => {
  const { companyId, owner, domain } = company;
  const first = await aDomain(companyId, { name: `aaa-${companyId}.example` });
  const mainDomain = async () =>
    (await ask(mailboxesConsole.getOptions, owner, "")).body["mainDomain"];
  expect(await mainDomain()).toBe(domain.name);
  for (let i = 0; i < 3; i++) await aMailbox(first);
  expect(await mainDomain()).toBe(first.name);
});

test("with instructions to a private address, no password is returned", async () => {
  const body = { instructionsTo: "ann.private@example.net" };
  expect((await create(body)).body).toEqual({ id: company.at("new"), temporaryPassword: null });
  expect((await create({ email: company.at("other") })).body["temporaryPassword"]).toMatch(
    /^\S{20}$/,
  );
});
