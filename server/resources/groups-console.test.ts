import { eq } from "drizzle-orm";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "vitest";

import { groups, mailboxes } from "#drizzle/schema/index.ts";
import type { Privilege } from "#server/universal/privileges.ts";
import { startSession } from "#server/core/access/sessions/sessions.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aSession } from "#server/testing/console-webhooks.ts";
import {
  aCompany,
  aDomain,
  aGroup,
  aMailbox,
  anAdmin,
  anAlias,
} from "#server/testing/factories.ts";
import { anOwnDovecot, auditOf } from "#server/testing/groups.ts";

import { groupsConsole } from "./groups.ts";

let dovecot: Awaited<ReturnType<typeof anOwnDovecot>>;
let companyId: string;
let domain: Awaited<ReturnType<typeof aDomain>>;
let cookie: string;
let group: string;

beforeAll(async () => {
  dovecot = await anOwnDovecot();
  companyId = (await aCompany()).id;
  domain = await aDomain(companyId, { name: "shop.example" });
  await aMailbox(domain, { address: "ann@shop.example" });
  await anAlias(domain, "ann@shop.example", "sales@shop.example");
  cookie = await aSession(companyId, ["view_groups", "manage_groups"]);
});
afterAll(() => dovecot.stop());
beforeEach(async () => {
  group = (await aGroup(domain, { members: ["b@x.example"], name: "Team" })).address;
});

const read = async (address = group) =>
  (await call(groupsConsole.get, { cookie, params: { address } })).body;
const change = (body: unknown, { address = group, as = cookie } = {}) =>
  call(groupsConsole.updateAccess, { cookie: as, params: { address }, body });
const many = (count: number) => Array.from({ length: count }, (_, i) => `m${i}@x.example`);

const DEFAULTS = {
  name: "Team",
  members: ["b@x.example"],
  describedMembers: [{ address: "b@x.example", name: "", isExternal: true }],
  units: [],
  memberCount: 1,
  active: true,
  posting: "anyone",
  posters: [],
  moderation: "none",
  moderators: [],
  replies: "author",
  membersSendAs: false,
};

test("a new group has the same default settings as one created through the API", async () => {
  expect(await read()).toEqual({ id: group, ...DEFAULTS });
  expect(await read(group.toUpperCase())).toMatchObject({ id: group });
});

describe("access settings", () => {
  test("all change in one request, normalized, with one audit entry listing old and new values", async () => {
    const answer = await change({
      posting: "listed",
      moderation: "strangers",
      replies: "group",
      posters: [
        "@Partner.EXAMPLE",
        " Lou@listed.example",
        "lou@listed.example",
        "@partner.example",
      ],
      moderators: ["Sales@shop.example", "ann@shop.example"],
      membersSendAs: true,
      active: false,
    });

    const after = {
      posting: "listed",
      moderation: "strangers",
      replies: "group",
      posters: ["@partner.example", "lou@listed.example"],
      moderators: ["ann@shop.example", "sales@shop.example"],
      membersSendAs: true,
      active: false,
    };
    expect(answer).toMatchObject({ status: 200 });
    expect(answer.body).toEqual({ id: group, ...DEFAULTS, ...after });
    expect(await read()).toEqual(answer.body);
    const entries = (await auditOf(companyId)).filter((entry) => entry.group === group);
    expect(entries).toMatchObject([
      {
        action: "group.access_changed",
        changed: {
          posting: { from: "anyone", to: "listed" },
          posters: { from: [], to: after.posters },
          membersSendAs: { from: false, to: true },
          active: { from: true, to: false },
        },
      },
    ]);
  });

  test("omitted settings stay, and an unchanged group writes no audit entry", async () => {
    await change({ replies: "group" });
    expect(await change({ posting: "anyone", posters: [] })).toMatchObject({ status: 200 });
    expect(await change({})).toMatchObject({ status: 200 });
    expect(await read()).toEqual({ id: group, ...DEFAULTS, replies: "group" });
    expect((await auditOf(companyId)).filter((entry) => entry.group === group)).toHaveLength(1);
  });

  test.each([
    ["an unknown posting rule", { posting: "nobody" }, /^posting: /],
    ["listed without posters", { posting: "listed" }, /^posters: must not be empty/],
    ["a poster that is not an address", { posters: ["lou"] }, /^posters\[0\]: /],
    ["an invalid domain", { posters: ["@lou@x.example"] }, /^posters: a domain/],
    ["a wildcard", { posters: ["@*.example"] }, /^posters: a domain/],
    ["201 posters", { posters: many(201) }, /^posters: must have at most 200/],
    ["a moderator outside", { moderators: ["lou@outside.example"] }, /^moderators: lou@outside/],
    ["an unknown moderator", { moderators: ["nobody@shop.example"] }, /is not a mailbox/],
    ["moderators as text", { moderators: "ann@shop.example" }, /^moderators: must be a list/],
    ["null", { active: null }, /^Missing required field: active$/],
  ])("rejects %s and changes nothing", async (_, body, message) => {
    expect(await change({ replies: "group", ...body })).toMatchObject({
      status: 422,
      body: { message: expect.stringMatching(message) as string },
    });
    expect(await read()).toEqual({ id: group, ...DEFAULTS });
  });

  test("moderators must be mailboxes of the company, not groups or other companies' mailboxes", async () => {
    const rival = await aDomain((await aCompany()).id);
    const { address: theirs } = await aMailbox(rival);
    const caught = await aDomain(companyId, { status: "pending" });
    await anAlias(caught, "ann@shop.example", `*@${caught.name}`);
    for (const moderator of [group, theirs, `bob@${caught.name}`])
      expect(await change({ moderators: [moderator] })).toMatchObject({ status: 422 });
  });
});

test("groups are created, listed, updated, and deleted", async () => {
  const { id: adminId } = await anAdmin(companyId, { isOwner: true });
  const owner = (await startSession(db(), adminId)).split(";")[0]!;
  const body = { address: "New@shop.example", name: "New", members: ["A@x.example"] };

  const made = await call(groupsConsole.create, { cookie, body });
  expect(made.body).toMatchObject({ id: "new@shop.example", members: ["a@x.example"] });
  const params = { address: "new@shop.example" };
  const members = ["c@x.example", "d@x.example"];
  const exchange = { add: ["D@x.example", "c@x.example"], remove: ["a@x.example"] };
  expect(
    (await call(groupsConsole.changeMembers, { cookie, params, body: exchange })).body,
  ).toMatchObject({
    name: "New",
    members,
  });
  expect((await call(groupsConsole.update, { cookie, params, body: { name: "New" } })).status).toBe(
    200,
  );
  const { body: list } = await call(groupsConsole.list, { cookie, query: { limit: "100" } });
  expect((list as { data: object[] }).data).toContainEqual({
    id: "new@shop.example",
    name: "New",
    active: true,
    posting: "anyone",
    memberCount: 2,
  });
  expect(await call(groupsConsole.delete, { cookie, params })).toMatchObject({ status: 403 });
  expect(await call(groupsConsole.delete, { cookie: owner, params })).toMatchObject({
    status: 200,
    body: { id: "new@shop.example" },
  });
  expect(await db().$count(groups, eq(groups.address, "new@shop.example"))).toBe(0);
});

test("members have the names of the company's mailboxes and groups, and others are external", async () => {
  const theirs = await aMailbox(await aDomain((await aCompany()).id), { name: "Secret" });
  const members = ["sales@shop.example", "ann@shop.example", group, theirs.address];
  const { address } = await aGroup(domain, { members });
  const [mailbox] = await db().select().from(mailboxes).where(eq(mailboxes.address, members[1]!));
  const { name } = mailbox!;
  expect(await read(address)).toMatchObject({
    describedMembers: [
      { address: members[1], name, isExternal: false },
      { address: members[0], name, isExternal: false },
      { address: group, name: "Team", isExternal: false },
      { address: theirs.address, name: "", isExternal: true },
    ].toSorted((a, b) => (a.address! < b.address! ? -1 : 1)),
  });
});

test("a group can be created with a posting rule", async () => {
  const body = { address: "staff@shop.example", name: "", members: [], posting: "company" };
  const made = await call(groupsConsole.create, { cookie, body });
  expect(made.body).toMatchObject({ id: "staff@shop.example", posting: "company" });
  expect(
    (await call(groupsConsole.create, { cookie, body: { ...body, posting: "listed" } })).status,
  ).toBe(422);
});

test("concurrent member changes by two admins both apply", async () => {
  const address = "race@shop.example";
  const members = Array.from({ length: 10 }, (_, i) => `m${i}@x.example`);
  await call(groupsConsole.create, { cookie, body: { address, name: "", members } });
  const changes = [
    ...members.map((member) => ({ remove: [member] })),
    ...members.map((_, i) => ({ add: [`n${i}@x.example`] })),
  ];
  await Promise.all(
    changes.map((body) => call(groupsConsole.changeMembers, { cookie, params: { address }, body })),
  );
  const now = await call(groupsConsole.get, { cookie, params: { address } });
  expect((now.body as { members: string[] }).members).toEqual(
    members.map((_, i) => `n${i}@x.example`),
  );
  await call(groupsConsole.delete, { cookie, params: { address } });
});

test("group options list the company's own verified domains", async () => {
  await aDomain(companyId, { name: "later.example", status: "pending" });
  await aDomain((await aCompany()).id, { name: "other.example" });
  expect(await call(groupsConsole.getOptions, { cookie })).toMatchObject({
    status: 200,
    body: { domains: ["shop.example"] },
  });
});

test("search matches part of the address, name, or a member", async () => {
  const body = { address: "desk@shop.example", name: "Help 50%", members: ["zoe@far.example"] };
  await call(groupsConsole.create, { cookie, body });
  const found = async (search: string) => {
    const { body } = await call(groupsConsole.list, { cookie, query: { search } });
    return (body as { data: { id: string }[] }).data.map(({ id }) => id);
  };
  for (const search of ["DESK@", "help 50%", "zoe@far"])
    expect(await found(search)).toEqual([body.address]);
  for (const search of ["d_sk", "zoe@near"]) expect(await found(search)).toEqual([]);
});

describe("permissions", () => {
  const calls: [
    string,
    Privilege,
    (cookie: string, address: string) => Promise<{ status: number }>,
  ][] = [
    ["list", "view_groups", (cookie) => call(groupsConsole.list, { cookie })],
    [
      "read",
      "view_groups",
      (cookie, address) => call(groupsConsole.get, { cookie, params: { address } }),
    ],
    [
      "change members",
      "manage_groups",
      (cookie, address) =>
        call(groupsConsole.changeMembers, { cookie, params: { address }, body: { add: [] } }),
    ],
    [
      "create",
      "manage_groups",
      (cookie) =>
        call(groupsConsole.create, {
          cookie,
          body: { address: "x@x.example", name: "", members: [] },
        }),
    ],
    ["get options of", "manage_groups", (cookie) => call(groupsConsole.getOptions, { cookie })],
    [
      "change",
      "manage_groups",
      (cookie, address) =>
        call(groupsConsole.update, { cookie, params: { address }, body: { name: "X" } }),
    ],
    [
      "set access of",
      "manage_groups",
      (cookie, address) => change({ active: false }, { address, as: cookie }),
    ],
    [
      "delete",
      "owner",
      (cookie, address) => call(groupsConsole.delete, { cookie, params: { address } }),
    ],
  ];

  test.each(calls)(
    "%s groups: 401 without a session, 403 without the privilege",
    async (_, privilege, ask) => {
      const others = (["view_groups", "manage_groups", "view_users"] as const).filter(
        (other) => other !== privilege,
      );
      expect(await ask("", group)).toMatchObject({ status: 401 });
      expect(await ask(await aSession(companyId, [...others]), group)).toMatchObject({
        status: 403,
      });
    },
  );

  test.each(calls.filter(([verb]) => !["list", "create", "get options of"].includes(verb)))(
    "%s: another company's group is not found",
    async (_, __, ask) => {
      const { id } = await aCompany();
      const { id: adminId } = await anAdmin(id, { isOwner: true });
      const stranger = (await startSession(db(), adminId)).split(";")[0]!;
      expect(await ask(stranger, group)).toMatchObject({ status: 404 });
      expect(await read()).toEqual({ id: group, ...DEFAULTS });
    },
  );
});

describe("while Dovecot is down", () => {
  beforeAll(() => dovecot.running.stop());

  test("settings can be read but not changed", async () => {
    expect(await change({ active: false })).toMatchObject({
      status: 502,
      body: { name: "mail_server_error" },
    });
    expect(await read()).toEqual({ id: group, ...DEFAULTS });
  });
});
