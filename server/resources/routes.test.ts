import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, expect, test } from "vitest";

import {
  aliases,
  domainFindings,
  forwardSuspensions,
  groups,
  mailboxes,
  mailboxRules,
  mailboxUsage,
  orgUnits,
} from "#drizzle/schema/index.ts";
import { config } from "#server/config.ts";
import { deleteInboundAddress } from "#server/core/mailboxes/inbound-addresses/inbound-addresses.ts";
import { addSuppressions } from "#server/core/sending/suppressions/suppressions.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aMailCompany, aSessionOfRole } from "#server/testing/console-mailboxes.ts";
import { aSession } from "#server/testing/console-webhooks.ts";
import {
  aContext,
  aGroup,
  aMailbox,
  anAlias,
  anInboundAddress,
} from "#server/testing/factories.ts";
import { PRIVILEGES } from "#server/universal/privileges.ts";

import { routesConsole } from "./routes.ts";

type Stop = {
  address: string;
  target: string;
  kind: string;
  via: string | null;
  notes: string[];
  more: number;
  depth: number;
};
type Found = {
  reply: string | null;
  isHosted: boolean | null;
  isSuppressed: boolean;
  stops: Stop[];
};

let company: Awaited<ReturnType<typeof aMailCompany>>;
let other: typeof company;
let cookie: string;
beforeAll(async () => {
  other = await aMailCompany();
});
beforeEach(async () => {
  company = await aMailCompany();
  cookie = await aSession(company.companyId, [...PRIVILEGES]);
});

const ask = (address: string, as = cookie) =>
  call(routesConsole.find, { cookie: as, query: { address } });
async function find(address: string, as = cookie): Promise<Found> {
  const { status, body } = await ask(address, as);
  expect(status).toBe(200);
  return body as Found;
}

/** The path in short, such as "> alias mailbox ann" for the second level. */
const path = async (address: string) =>
  (await find(address)).stops.map(({ kind, target, via, notes, depth }) =>
    [...Array<string>(depth).fill(">"), via, kind, target.split("@")[0], ...notes]
      .filter((part) => part !== null)
      .join(" "),
  );

const box = (name: string) =>
  aMailbox(company.domain, { address: company.at(name), orgUnitId: company.root });

test("shows what receives an address: a mailbox, by alias, by tag, or by the catch-all", async () => {
  const { at, domain } = company;
  const ann = (await box("ann")).address;
  await anAlias(domain, ann, at("info"));
  expect(await path(at("ANN"))).toEqual(["mailbox ann"]);
  expect(await path(at("info"))).toEqual(["alias mailbox ann"]);
  expect(await path(at("ann+shop"))).toEqual(["tag mailbox ann"]);
  expect(await find(at("nobody"))).toMatchObject({
    reply: "5.1.1 No such recipient here",
    stops: [{ kind: "unknown", notes: [] }],
  });
  await anAlias(domain, ann, at("*"));
  expect(await find(at("nobody"))).toMatchObject({ reply: null });
  expect(await path(at("nobody"))).toEqual(["catch_all mailbox ann"]);
  expect(await path(at("postmaster"))).toEqual(["owners postmaster"]);
  await anInboundAddress(domain, at("orders"));
  expect(await path(at("orders"))).toEqual(["inbound orders"]);
});

test("follows groups to members, and mailboxes to where they forward", async () => {
  const { at, domain } = company;
  const [ann, ben] = [(await box("ann")).address, (await box("ben")).address];
  await db()
    .insert(mailboxRules)
    .values({ mailbox: ann, forwardTo: ["Ann@home.example", ben], keepCopy: false, scriptId: "1" });
  await db().insert(forwardSuspensions).values({
    mailbox: ann,
    target: "ann@home.example",
    dsn: "5.1.1",
    reply: "No such user",
    suspendedAt: new Date().toISOString(),
  });
  await aGroup(domain, { address: at("inner"), members: [ben, at("all")] });
  await aGroup(domain, {
    address: at("all"),
    members: [ann, at("inner"), "x@there.example"],
    moderation: "all",
    posting: "company",
  });
  expect(await path(at("all"))).toEqual([
    "group all moderated restricted",
    "> mailbox ann keeps_no_copy",
    "> > outside ann forwarding_suspended",
    "> > mailbox ben",
    "> group inner",
    "> > group all repeated",
    "> > mailbox ben repeated",
    "> outside x",
  ]);
});

test("shows that members postmaster@ and abuse@ reach the owners", async () => {
  const { at, domain } = company;
  const checkedAt = new Date().toISOString();
  await db()
    .insert(domainFindings)
    .values({ domainId: domain.id, record: "mx", isVerified: true, checkedAt });
  await aGroup(domain, { address: at("all"), members: [at("postmaster"), at("gone")] });
  expect(await path(at("all"))).toEqual(["group all", "> unknown gone", "> owners postmaster"]);
});

test("shows what isn't forwarded because of the unit's policy or a missing confirmation", async () => {
  const { at } = company;
  const [ann, ben] = [(await box("ann")).address, (await box("ben")).address];
  const forwardTo = ["ann@home.example", ben];
  await db().insert(mailboxRules).values({ mailbox: ann, forwardTo, scriptId: "1" });
  expect(await path(at("ann"))).toEqual([
    "mailbox ann",
    "> outside ann forwarding_unconfirmed",
    "> mailbox ben",
  ]);
  await db().update(orgUnits).set({ outsideAllowed: false }).where(eq(orgUnits.id, company.root));
  expect(await path(at("ann"))).toEqual([
    "mailbox ann",
    "> outside ann forwarding_forbidden",
    "> mailbox ben",
  ]);
});

test("says what keeps mail from arriving", async () => {
  const { at, domain, companyId } = company;
  const ann = (await box("ann")).address;
  await db()
    .update(mailboxes)
    .set({ suspendedAt: new Date().toISOString(), quotaMb: 1 })
    .where(eq(mailboxes.address, ann));
  await db().insert(mailboxUsage).values({ address: ann, usedBytes: 2_000_000 });
  expect(await find(ann)).toMatchObject({
    reply: "4.2.2 The mailbox is full",
    stops: [{ notes: ["suspended", "full"] }],
  });
  const alias = await anAlias(domain, ann, at("old"));
  await db().update(aliases).set({ active: false }).where(eq(aliases.address, alias));
  await aGroup(domain, { address: at("closed") });
  await db()
    .update(groups)
    .set({ active: false })
    .where(eq(groups.address, at("closed")));
  expect(await path(alias)).toEqual(["unknown old inactive"]);
  expect(await path(at("closed"))).toEqual(["unknown closed inactive"]);
  await aGroup(domain, { address: at("empty") });
  expect(await path(at("empty"))).toEqual(["group empty no_members"]);
  await deleteInboundAddress(aContext(companyId), await anInboundAddress(domain, at("orders")));
  expect(await path(at("orders"))).toEqual(["unknown orders deleted"]);
  await addSuppressions(aContext(companyId), ["x@there.example"]);
  expect(await find("x@there.example")).toMatchObject({ reply: null, isSuppressed: true });
});

test("reveals nothing about other companies on the server", async () => {
  const theirs = other.inRoot;
  const unknown = other.at("nobody");
  for (const address of [theirs, unknown, `reports@${config().hostname}`, "x@there.example"])
    expect(await find(address)).toEqual({
      reply: null,
      isHosted: null,
      isSuppressed: false,
      stops: [
        { address, target: address, kind: "outside", via: null, notes: [], more: 0, depth: 0 },
      ],
    });
  const group = await aGroup(other.domain, { members: [theirs] });
  await aGroup(company.domain, { address: company.at("ours"), members: [group.address, theirs] });
  const members = [group.address, theirs].toSorted();
  expect(await path(company.at("ours"))).toEqual([
    "group ours",
    ...members.map((member) => `> outside ${member.split("@")[0]}`),
  ]);
});

test("requires View users in the whole company, and View groups for members", async () => {
  const { companyId, sales, at, domain, inRoot } = company;
  await aGroup(domain, { address: at("team"), members: [inRoot, "x@there.example"] });
  const viewer = await aSession(companyId, ["view_users"]);
  expect(await find(at("team"), viewer)).toMatchObject({ stops: [{ kind: "group", more: 2 }] });
  expect((await ask(inRoot, await aSessionOfRole(companyId, sales))).status).toBe(403);
  expect((await ask(inRoot, await aSession(companyId, ["view_groups"]))).status).toBe(403);
  expect((await ask("ann", cookie)).status).toBe(422);
});
