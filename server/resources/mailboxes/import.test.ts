import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";

import { companies, mailboxes, orgUnits } from "#drizzle/schema/index.ts";
import { createUnit } from "#server/core/mailboxes/org-units/units.ts";
import { db } from "#server/db/pool.ts";
import { aMailCompany, ask, aSessionOfRole } from "#server/testing/console-mailboxes.ts";
import { aSession } from "#server/testing/console-webhooks.ts";
import { aContext, aDomain, aGroup, aMailbox, anAlias } from "#server/testing/factories.ts";

import { mailboxesConsole } from "./console.ts";

type Line = {
  outcome: string;
  email: string | null;
  problems: { field: string; message: string }[];
};
let company: Awaited<ReturnType<typeof aMailCompany>>;
beforeEach(async () => {
  company = await aMailCompany();
});

const check = async (lines: object[], cookie = company.cookie) => {
  const { status, body } = await ask(mailboxesConsole.checkImport, cookie, "", { body: { lines } });
  expect(status).toBe(200);
  return body as { blocked: string | null; lines: (Line & Record<string, unknown>)[] };
};
const one = async (line: object, cookie = company.cookie) =>
  (await check([{ name: "Ann", ...line }], cookie)).lines[0]!;
const wrong = ({ problems }: Line) => problems.map(({ field, message }) => `${field} ${message}`);
const change = (values: object) =>
  db().update(companies).set(values).where(eq(companies.id, company.companyId));

test("a check reports the outcome of each line and creates nothing", async () => {
  const { at, sales, companyId } = company;
  await db().update(orgUnits).set({ defaultQuotaMb: 1_024 }).where(eq(orgUnits.id, sales));
  const line = { email: at("Ann.Lee"), unit: "Sales", aliases: [at("Press"), at("press")] };
  expect(await one(line)).toEqual({
    outcome: "new",
    email: at("ann.lee"),
    quotaMb: 1_024,
    problems: [],
    unit: { id: sales, name: "Sales" },
    aliases: [at("press")],
  });
  const rows = await db().select().from(mailboxes).where(eq(mailboxes.companyId, companyId));
  expect(rows).toHaveLength(2);
});

test.each([
  [{ email: "ann" }, "email must be a valid email address"],
  [{ email: "ann@elsewhere.example" }, "email elsewhere.example is not a verified domain"],
  [{ email: ".ann@{}" }, "email "],
  [{ email: "ann@{}", name: "" }, "name Missing required field"],
  [{ email: "ann@{}", name: "x".repeat(121) }, "name must have at most 120 characters"],
  [{ email: "ann@{}", name: "J\uFFFDrgen" }, "name must not contain �"],
  [{ email: "ann@{}", quotaMb: 0 }, "quota_mb must be a whole number from 256 to 51200"],
  [
    { email: "ann@{}", unit: "Sales/Nowhere" },
    "unit doesn't exist, or you can't create mailboxes in it",
  ],
  [{ email: "ann@{}", aliases: ["ann@{}"] }, "aliases is already the mailbox's own address"],
  [
    { email: "ann@{}", aliases: ["b@elsewhere.example"] },
    "aliases elsewhere.example is not a verified domain",
  ],
])("%j fails with the same error as creation", async (line, problem) => {
  const text = JSON.stringify(line).replaceAll("{}", company.domain.name);
  const checked = await one(JSON.parse(text) as object);
  expect(checked.outcome).toBe("refused");
  expect(wrong(checked)).toEqual([expect.stringContaining(problem)]);
});

test("a line with the status suspended or archived is rejected, and its address stays free for other lines", async () => {
  const { at, inRoot } = company;
  const { lines } = await check([
    { email: at("a"), name: "Ann", status: "Suspended" },
    { email: inRoot, name: "Ben", status: "ARCHIVED", aliases: [at("c")] },
    { email: at("a"), name: "Ann", status: "Active" },
  ]);
  const skipped = ["status Suspended or archived in the other system"];
  expect(lines.map(wrong)).toEqual([skipped, skipped, []]);
  expect(lines.map(({ outcome }) => outcome)).toEqual(["refused", "refused", "new"]);
});

test("an address can be taken by a group, an alias, another company, or an earlier line", async () => {
  const { at, domain, inRoot } = company;
  const { address: group } = await aGroup(domain);
  const alias = await anAlias(domain, inRoot, at("press"));
  const theirs = await aMailCompany();
  const line = (email: string) => ({ email, name: "Ann" });
  const { lines } = await check([
    line(group),
    line(alias),
    line(theirs.inRoot),
    line(at("a")),
    line(at("A")),
    { ...line(at("b")), aliases: [at("a")] },
  ]);
  expect(lines.map(wrong)).toEqual([
    [`email ${group} is already used by a mailbox, an alias or a group`],
    [`email ${alias} is already used by a mailbox, an alias or a group`],
    [`email ${theirs.domain.name} is not a verified domain of the company`],
    [],
    [`email ${at("a")} is already in line 4`],
    [`aliases ${at("a")} is already in line 4`],
  ]);
});

test("an existing mailbox is recognized with its missing aliases", async () => {
  const { at, domain, inSales, sales, companyId } = company;
  await anAlias(domain, inSales, at("old"));
  const line = { email: inSales, aliases: [at("old"), at("new")], unit: "Elsewhere" };
  expect(await one(line)).toMatchObject({
    outcome: "exists",
    aliases: [at("new")],
    unit: { id: sales },
  });
  const creator = await aSession(companyId, ["create_users"]);
  expect(wrong(await one({ email: inSales }, creator))).toEqual([
    `email ${inSales} is already used by a mailbox, an alias or a group`,
  ]);
});

test("aliases require the privilege to update mailboxes in the unit", async () => {
  const { at, companyId } = company;
  const creator = await aSession(companyId, ["create_users"]);
  expect(wrong(await one({ email: at("a"), aliases: [at("b")] }, creator))).toEqual([
    "aliases require the Update users privilege in the mailbox's unit",
  ]);
});

describe("units", () => {
  test("are matched by path, ignoring case, with or without the root", async () => {
    const { at, companyId, sales, root } = company;
    const berlin = await createUnit(aContext(companyId), { parentId: sales, name: "Berlin" });
    const unitOf = async (unit: string) => (await one({ email: at("a"), unit })).unit;
    expect(await unitOf("sales / BERLIN")).toEqual({ id: berlin, name: "Berlin" });
    expect(await unitOf("Example Ltd > Sales")).toEqual({ id: sales, name: "Sales" });
    expect(await unitOf("Example Ltd")).toEqual({ id: root, name: "Example Ltd" });
    expect(await unitOf("")).toEqual({ id: root, name: "Example Ltd" });
  });

  test("of a limited role are the only ones available, and a single one is the default", async () => {
    const { at, ofSales, sales, companyId, root } = company;
    const other = await createUnit(aContext(companyId), { parentId: root, name: "IT" });
    expect(await one({ email: at("a") }, ofSales)).toMatchObject({ unit: { id: sales } });
    expect(wrong(await one({ email: at("a"), unit: "IT" }, ofSales))).toEqual(
      wrong(await one({ email: at("a"), unit: "None" }, ofSales)),
    );
    expect(other).toBeGreaterThan(0);
    await createUnit(aContext(companyId), { parentId: sales, name: "Berlin" });
    expect(wrong(await one({ email: at("a") }, ofSales))).toEqual(["unit is required"]);
  });
});

test("plan limits apply line by line, cap the size, and block an expired plan", async () => {
  const { at } = company;
  await change({ mailboxesMax: 3, quotaMbMax: 512 });
  const { lines, blocked } = await check([
    { email: "nothing", name: "Ann" },
    { email: at("a"), name: "Ann", quotaMb: 2_048 },
    { email: at("b"), name: "Ann" },
  ]);
  expect(blocked).toBeNull();
  expect(lines.map(({ outcome, quotaMb }) => [outcome, quotaMb])).toEqual([
    ["refused", 512],
    ["new", 512],
    ["refused", 512],
  ]);
  expect(wrong(lines[2]!)).toEqual(["email Your plan allows 3 mailboxes, and all are used"]);
  await change({ subscriptionActive: false });
  expect((await check([{ email: at("a"), name: "Ann" }])).blocked).toMatch(
    /no active subscription/,
  );
});

test("a check requires the privilege to create mailboxes and at most 5,000 lines", async () => {
  const { companyId, sales, cookie } = company;
  const body = { lines: [{ email: "a@b.example" }] };
  for (const refused of [
    await aSession(companyId, ["view_users", "update_users"]),
    await aSessionOfRole(companyId, sales, ["view_users"]),
  ])
    expect(await ask(mailboxesConsole.checkImport, refused, "", { body })).toMatchObject({
      status: 403,
    });
  const many = { lines: Array.from({ length: 5_001 }, () => ({ email: "a" })) };
  expect(await ask(mailboxesConsole.checkImport, cookie, "", { body: many })).toMatchObject({
    status: 422,
  });
});

test("five thousand lines are checked in one request", async () => {
  const { at, domain, companyId } = company;
  await aMailbox(await aDomain(companyId));
  const lines = Array.from({ length: 5_000 }, (_, i) => ({
    email: at(`user${i}`),
    name: `User ${i}`,
    unit: "Sales",
    aliases: [`alias${i}@${domain.name}`],
  }));
  const { lines: checked } = await check(lines);
  expect(checked.every(({ outcome }) => outcome === "new")).toBe(true);
});
