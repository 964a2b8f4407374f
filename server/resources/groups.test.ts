import { eq } from "drizzle-orm";
import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { addresses, groupMembers, groups } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import {
  aCompany,
  aDomain,
  aGroup,
  aMailbox,
  anAdmin,
  anAlias,
  anApiKey,
} from "#server/testing/factories.ts";
import { aGroupOwner, anOwnDovecot, auditOf } from "#server/testing/groups.ts";

import { groupsApi } from "./groups.ts";

type Owner = Awaited<ReturnType<typeof aGroupOwner>>;

let dovecot: Awaited<ReturnType<typeof anOwnDovecot>>;
let owner: Owner;
let at: string;
let ownersKey: string;

beforeAll(async () => {
  dovecot = await anOwnDovecot();
  owner = await aGroupOwner();
  at = owner.domain.name;
  const creator = await anAdmin(owner.companyId, { isOwner: true });
  ownersKey = (await anApiKey(owner.companyId, { creatorId: creator.id })).token;
});
afterAll(() => dovecot.stop());

const create = (body: unknown, key = owner.key) => call(groupsApi.create, { key, body });
const read = (address: string, key = owner.key) =>
  call(groupsApi.get, { key, params: { address } });
const update = (address: string, body: unknown, key = owner.key) =>
  call(groupsApi.update, { key, params: { address }, body });
const remove = (address: string, key = ownersKey) =>
  call(groupsApi.delete, { key, params: { address } });
const refused = (status: number, name: string, message?: string | RegExp) => ({
  status,
  body: {
    statusCode: status,
    name,
    message:
      message === undefined
        ? (expect.any(String) as string)
        : typeof message === "string"
          ? message
          : (expect.stringMatching(message) as string),
  },
});
const invalid = (message?: string | RegExp) => refused(422, "validation_error", message);
const many = (count: number) => Array.from({ length: count }, (_, i) => `m${i}@example.net`);
const membersOf = async (address: string) =>
  (await db().select().from(groupMembers).where(eq(groupMembers.groupAddress, address)))
    .map(({ member }) => member)
    .sort();

describe("POST /groups", () => {
  test("creates a group with the console's defaults, members once and in lowercase", async () => {
    const answer = await create({
      address: `Team.One@${at.toUpperCase()}`,
      name: "  Team 1 — Zürich ",
      members: [`Zoe@${at}`, "bob@Example.NET", "BOB@example.net"],
    });

    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({
      object: "group",
      address: `team.one@${at}`,
      name: "Team 1 — Zürich",
      members: ["bob@example.net", `zoe@${at}`],
      active: true,
    });
    expect((await read(`team.one@${at}`)).body).toEqual(answer.body);
    const [row] = await db()
      .select()
      .from(groups)
      .where(eq(groups.address, `team.one@${at}`));
    expect(row).toMatchObject({
      companyId: owner.companyId,
      posting: "anyone",
      moderation: "none",
      replies: "author",
      posters: [],
      moderators: [],
      membersSendAs: false,
    });
  });

  test.each([
    ["only its address", {}],
    ["null in the optional fields", { name: null, members: null }],
    ["nothing in them", { name: "", members: [] }],
  ])("requires %s", async (what, fields) => {
    const address = `bare-${what.length}@${at}`;
    expect(await create({ address, ...fields })).toMatchObject({
      status: 200,
      body: { address, name: "", members: [] },
    });
  });

  test("accepts 160 characters and 200 members, ignoring duplicates", async () => {
    const members = many(200);
    const answer = await create({
      address: `full@${at}`,
      name: "😀".repeat(160),
      members: [...members, ...members],
    });
    expect(answer.status).toBe(200);
    expect(answer.body).toMatchObject({ members: members.toSorted() });
  });

  test.each([
    ["no address", {}, "missing_required_field"],
    ["null", { address: null }, "missing_required_field"],
    ["an empty one", { address: " " }, "missing_required_field"],
    ["a number", { address: 7 }, "validation_error"],
    ["what is no address", { address: "team" }, "validation_error"],
    ["a name beside it", { address: "Team <team@HERE>" }, "validation_error"],
    ["a line end in it", { address: "team@HERE\r\nBcc: x@example.org" }, "validation_error"],
    ["a dot first", { address: ".team@HERE" }, "validation_error"],
    ["a dash last", { address: "team-@HERE" }, "validation_error"],
    ["a plus first", { address: "+team@HERE" }, "validation_error"],
    ["other characters", { address: "te&am@HERE" }, "validation_error"],
    ["a long local part", { address: `${"a".repeat(65)}@HERE` }, "validation_error"],
    ["a foreign domain", { address: "team@example.net" }, "validation_error"],
    ["a domain below ours", { address: "team@sub.HERE" }, "validation_error"],
    ["a name that is no text", { address: "n@HERE", name: 7 }, "validation_error"],
    ["a name of 161", { address: "n@HERE", name: "x".repeat(161) }, "validation_error"],
    ["a name of two lines", { address: "n@HERE", name: "a\r\nBcc: x" }, "validation_error"],
    ["members as text", { address: "n@HERE", members: "a@example.net" }, "validation_error"],
    ["members as an object", { address: "n@HERE", members: {} }, "validation_error"],
    ["a member that is no text", { address: "n@HERE", members: [7] }, "validation_error"],
    ["a member that is no address", { address: "n@HERE", members: ["x"] }, "validation_error"],
    [
      "a member with a name",
      { address: "n@HERE", members: ["A <a@b.example>"] },
      "validation_error",
    ],
    ["two in one", { address: "n@HERE", members: ["a@b.example,c@d.example"] }, "validation_error"],
    ["201 members", { address: "n@HERE", members: many(201) }, "validation_error"],
    ["itself", { address: "n@HERE", members: ["N@HERE"] }, "validation_error"],
  ])("rejects %s", async (_, body, name) => {
    const here = JSON.parse(JSON.stringify(body).replaceAll("HERE", at)) as object;

    expect(await create(here)).toMatchObject(refused(422, name));
    expect(await db().$count(addresses, eq(addresses.address, `n@${at}`))).toBe(0);
  });

  test("rejects a domain that belongs to another company or is not verified", async () => {
    const other = await aDomain((await aCompany()).id);
    const unproven = await aDomain(owner.companyId, { ownershipProvenAt: null });
    const unverified = await aDomain(owner.companyId, { status: "partially_verified" });
    for (const { name } of [other, unproven, unverified])
      expect(await create({ address: `team@${name}` })).toMatchObject(invalid(/^address: /));
  });

  test("rejects an address used by a mailbox, an alias or a group, for each of them", async () => {
    const { address: mailbox } = await aMailbox(owner.domain);
    const alias = await anAlias(owner.domain, mailbox);
    const { address: group } = await aGroup(owner.domain);

    for (const address of [mailbox, alias, group.toUpperCase()])
      expect(await create({ address })).toMatchObject(refused(409, "already_exists"));
  });

  test("of ten concurrent requests one creates it", async () => {
    const address = `race@${at}`;
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, i) => create({ address, members: [`m${i}@example.net`] })),
    );

    expect(answers.map(({ status }) => status).sort()).toEqual([
      200,
      ...Array<number>(9).fill(409),
    ]);
    expect(await membersOf(address)).toHaveLength(1);
  });

  test("writes audit entries for the group and each member with the key's name", async () => {
    const own = await aGroupOwner();
    const address = `audited@${own.domain.name}`;
    await create({ address, name: "A", members: ["b@example.net", "a@example.net"] }, own.key);

    const actor = "API key Test key";
    expect(await auditOf(own.companyId)).toEqual([
      { actor, action: "group.created", group: address, name: "A" },
      { actor, action: "group.member_added", group: address, member: "a@example.net" },
      { actor, action: "group.member_added", group: address, member: "b@example.net" },
    ]);
  });

  test("accepts at most 64 KB", async () => {
    const body = JSON.stringify({ address: `big@${at}` });
    const rawBody = (bytes: number) => body.slice(0, -1) + " ".repeat(bytes - body.length) + "}";
    const send = (bytes: number) =>
      call(groupsApi.create, { key: owner.key, rawBody: rawBody(bytes) });

    expect(await send(64 * 1024 + 1)).toMatchObject(refused(413, "payload_too_large"));
    expect(await send(64 * 1024)).toMatchObject({ status: 200 });
  });
});

describe("GET /groups/{address}", () => {
  test("finds it whatever the case", async () => {
    const { address } = await aGroup(owner.domain);
    for (const written of [address, address.toUpperCase()])
      expect(await read(written)).toMatchObject({ status: 200, body: { address } });
  });

  test("shows whether a group is disabled", async () => {
    const { address } = await aGroup(owner.domain, { active: false });
    expect((await read(address)).body).toMatchObject({ active: false });
  });

  test("returns not_found for mailboxes, other companies' groups and invalid addresses", async () => {
    const { address: mailbox } = await aMailbox(owner.domain);
    const { address: theirs } = await aGroup((await aGroupOwner()).domain);
    for (const address of [mailbox, theirs, `unknown@${at}`, "invalid", "%"])
      expect(await read(address)).toMatchObject(refused(404, "not_found", "Group not found"));
  });
});

describe("PATCH /groups/{address}", () => {
  test("replaces the list: leaves remaining members unchanged and audits every other change", async () => {
    const own = await aGroupOwner();
    const { address } = await aGroup(own.domain, {
      name: "Old",
      members: ["gone@example.net", "kept@example.net", "also-gone@example.net"],
    });
    const kept = () =>
      db().select().from(groupMembers).where(eq(groupMembers.member, "kept@example.net"));
    const before = await kept();

    const answer = await update(
      address.toUpperCase(),
      { members: ["New@example.net", "kept@example.net", "new@example.net", "also@example.net"] },
      own.key,
    );

    expect(answer.body).toEqual({
      object: "group",
      address,
      name: "Old",
      active: true,
      members: ["also@example.net", "kept@example.net", "new@example.net"],
    });
    expect(await kept()).toEqual(before);
    const actor = "API key Test key";
    expect(await auditOf(own.companyId)).toEqual([
      { actor, action: "group.member_removed", group: address, member: "also-gone@example.net" },
      { actor, action: "group.member_removed", group: address, member: "gone@example.net" },
      { actor, action: "group.member_added", group: address, member: "also@example.net" },
      { actor, action: "group.member_added", group: address, member: "new@example.net" },
    ]);
  });

  test("changes only the name, or removes it", async () => {
    const { address } = await aGroup(owner.domain, { members: ["a@example.net"] });
    const members = ["a@example.net"];
    expect((await update(address, { name: " New " })).body).toMatchObject({ name: "New", members });
    expect((await update(address, { name: "", members: null })).body).toMatchObject({
      name: "",
      members,
    });
  });

  test("an empty list removes all members", async () => {
    const { address } = await aGroup(owner.domain, { members: many(3) });
    expect((await update(address, { members: [] })).body).toMatchObject({ members: [] });
    expect(await membersOf(address)).toEqual([]);
  });

  test("writes no audit entry if nothing changes", async () => {
    const own = await aGroupOwner();
    const { address } = await aGroup(own.domain, { name: "A", members: many(2) });
    expect(await update(address, { name: "A", members: many(2) }, own.key)).toMatchObject({
      status: 200,
    });
    expect(await auditOf(own.companyId)).toEqual([]);
  });

  test.each([
    ["no field", {}, /at least one/],
    ["null in both", { name: null, members: null }, /at least one/],
    ["unknown fields", { address: "x@example.net" }, /at least one/],
    ["a name that is no text", { name: {} }, /^name: /],
    ["a name of 161", { name: "x".repeat(161) }, /^name: must have at most 160/],
    ["201 members", { members: many(201) }, /^members: must have at most 200/],
    ["a wrong member", { name: "New", members: ["a@example.net", "b"] }, /^members\[1\]: /],
    ["itself", { name: "New", members: ["ITSELF"] }, /the group itself/],
    ["members as text", { members: "a@example.net" }, /^members: must be a list/],
  ])("rejects %s and changes nothing", async (_, body, message) => {
    const { address } = await aGroup(owner.domain, { name: "Old", members: many(2) });
    const written = JSON.parse(JSON.stringify(body).replace("ITSELF", address)) as object;

    expect(await update(address, written)).toMatchObject(invalid(message));
    expect((await read(address)).body).toMatchObject({ name: "Old", members: many(2) });
  });

  test("applies each of several concurrent changes completely", async () => {
    const { address } = await aGroup(owner.domain, { members: many(5) });
    const lists = Array.from({ length: 8 }, (_, i) =>
      many(20)
        .slice(i, i + 10)
        .sort(),
    );
    const answers = await Promise.all(lists.map((members) => update(address, { members })));

    expect(answers.map(({ status }) => status)).toEqual(lists.map(() => 200));
    expect(lists).toContainEqual(await membersOf(address));
  });

  test("returns not_found for another company's group", async () => {
    const { address } = await aGroup((await aGroupOwner()).domain, { members: many(1) });
    expect(await update(address, { members: [] })).toMatchObject(
      refused(404, "not_found", "Group not found"),
    );
    expect(await membersOf(address)).toEqual(many(1));
  });
});

describe("DELETE /groups/{address}", () => {
  test("deletes the group and frees its address; the members' mailboxes stay", async () => {
    const { address: member } = await aMailbox(owner.domain);
    const { address } = await aGroup(owner.domain, { members: [member], posting: "members" });

    const answer = await remove(address.toUpperCase());

    expect(answer.body).toEqual({ object: "group", address, deleted: true });
    expect(await read(address)).toMatchObject({ status: 404 });
    expect(await db().$count(addresses, eq(addresses.address, address))).toBe(0);
    expect(await db().$count(addresses, eq(addresses.address, member))).toBe(1);
    expect(await membersOf(address)).toEqual([]);
    expect((await auditOf(owner.companyId)).at(-1)).toMatchObject({
      action: "group.deleted",
      group: address,
    });
    expect((await create({ address })).body).toMatchObject({ members: [] });
  });

  test("requires a key whose creator is an owner", async () => {
    const { address } = await aGroup(owner.domain);
    expect(await remove(address, owner.key)).toMatchObject(refused(403, "invalid_permission"));
  });

  test("returns not_found for mailboxes and other companies' groups", async () => {
    const { address: mailbox } = await aMailbox(owner.domain);
    const { address: theirs } = await aGroup((await aGroupOwner()).domain);
    for (const address of [mailbox, theirs])
      expect(await remove(address)).toMatchObject(refused(404, "not_found", "Group not found"));
    expect(await db().$count(addresses, eq(addresses.address, mailbox))).toBe(1);
  });
});

test.each([
  ["view_groups", "manage_groups"],
  ["manage_groups", "view_groups"],
] as const)("%s does not include %s", async (held, missing) => {
  const own = await aGroupOwner([held]);
  const { address } = await aGroup(own.domain);
  const answers = {
    view_groups: [await read(address, own.key)],
    manage_groups: [
      await create({ address: `x@${own.domain.name}` }, own.key),
      await update(address, { name: "x" }, own.key),
    ],
  };
  for (const { status } of answers[held]) expect(status).toBe(200);
  for (const answer of answers[missing])
    expect(answer).toMatchObject(refused(403, "invalid_permission"));
});

describe("while Dovecot is down", () => {
  beforeAll(() => dovecot.running.stop());

  test("groups can be read, and every change fails with its error and changes nothing", async () => {
    const { address } = await aGroup(owner.domain, { members: many(2) });
    const answers = [
      await create({ address: `down@${at}` }),
      await update(address, { members: [] }),
      await remove(address),
    ];

    for (const answer of answers)
      expect(answer).toMatchObject(
        refused(502, "mail_server_error", /^The mail server rejected the change: E[A-Z]+$/),
      );
    expect(await read(`down@${at}`)).toMatchObject({ status: 404 });
    expect((await read(address)).body).toMatchObject({ members: many(2) });
  });
});
