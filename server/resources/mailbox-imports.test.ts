import { eq } from "drizzle-orm";
import { beforeEach, describe, expect, test } from "vitest";

import { companies, mailboxes, orgUnits } from "#drizzle/schema/index.ts";
import { createUnit } from "#server/core/mailboxes/org-units/units.ts";
import { db } from "#server/db/pool.ts";
import { aMailCompany, ask, aSessionOfRole } from "#server/testing/console-mailboxes.ts";
import { aSession } from "#server/testing/console-webhooks.ts";
import { aContext, aDomain, aGroup, aMailbox, anAlias } from "#server/testing/factories.ts";

import { mailboxImportsConsole } from "./mailbox-imports.ts";

type Line = {
  outcome: string;
  email: string | null;
  problems: string[];
};
let company: Awaited<ReturnType<typeof aMailCompany>>;
beforeEach(async () => {
  company = await aMailCompany();
});

const check = async (lines: object[], cookie = company.cookie, options: object = {}) => {
  const numbered = lines.map((line, at) => ({ number: at + 1, ...line }));
  const body = { lines: numbered, ...options };
  const answer = await ask(mailboxImportsConsole.check, cookie, "", { body });
  expect(answer.status).toBe(200);
  return answer.body as {
    blocked: string | null;
    missingUnits: string[];
    lines: (Line & Record<string, unknown>)[];
  };
};
const one = async (line: object, cookie = company.cookie) =>
  (await check([{ name: "Ann", ...line }], cookie)).lines[0]!;
const wrong = ({ problems }: Line) => problems;
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
    isInactive: false,
    unit: "Sales",
    aliases: [at("press")],
    instructionsTo: null,
  });
  const rows = await db().select().from(mailboxes).where(eq(mailboxes.companyId, companyId));
  expect(rows).toHaveLength(2);
});

test.each([
  [{ email: "ann" }, "Address must be a valid email address"],
  [{ email: "ann@elsewhere.example" }, "elsewhere.example is not a verified domain"],
  [{ email: ".ann@{}" }, "Address must be a valid email address"],
  [{ email: "ann@{}", name: "" }, "Name is required"],
  [{ email: "ann@{}", name: "x".repeat(121) }, "Name must have at most 120 characters"],
  [{ email: "ann@{}", name: "J\uFFFDrgen" }, "Name must not contain �"],
  [{ email: "ann@{}", quotaMb: 0 }, "Storage limit must be a whole number from 256 to 51200"],
  [{ email: "ann@{}", instructionsTo: "ann" }, "Private address must be a valid address"],
  [{ email: "ann@{}", instructionsTo: "ann@{}" }, "Private address must be an address that the"],
  [
    { email: "ann@{}", aliases: ["press@{}"], instructionsTo: "press+ann@{}" },
    "Private address must be an address that the",
  ],
  [{ email: "ann@{}", unit: "Sales/Nowhere" }, "The unit Sales / Nowhere doesn't exist"],
  [{ email: "ann@{}", aliases: ["ann@{}"] }, "Aliases is already the mailbox's own address"],
  [
    { email: "ann@{}", aliases: ["b@elsewhere.example"] },
    "elsewhere.example is not a verified domain",
  ],
])("%j fails with the same error as creation", async (line, problem) => {
  const text = JSON.stringify(line).replaceAll("{}", company.domain.name);
  const checked = await one(JSON.parse(text) as object);
  expect(checked.outcome).toBe("refused");
  expect(wrong(checked)).toEqual([expect.stringContaining(problem)]);
});

test("a private address is parsed, and ignored for an existing mailbox", async () => {
  const { at, inSales } = company;
  const line = { instructionsTo: " Ann@Home.example " };
  expect(await one({ email: at("a"), ...line })).toMatchObject({
    outcome: "new",
    instructionsTo: "ann@home.example",
  });
  for (const instructionsTo of ["", "ann"])
    expect(await one({ email: inSales, instructionsTo })).toMatchObject({
      outcome: "exists",
      instructionsTo: null,
    });
});

test("a line with the status suspended or archived is rejected, and its address stays free for other lines", async () => {
  const { at, inRoot } = company;
  const { lines } = await check([
    { email: at("a"), name: "Ann", status: "Suspended" },
    { email: inRoot, name: "Ben", status: "ARCHIVED", aliases: [at("c")] },
    { email: at("a"), name: "Ann", status: "Active" },
  ]);
  const skipped = ["Suspended or archived in the other system"];
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
    [`${group} is already a group`],
    [`${alias} is already an alias`],
    [`${theirs.domain.name} is not a verified domain of the company`],
    [],
    [`${at("a")} is already in line 4`],
    [`${at("a")} is already in line 4`],
  ]);
});

test("an existing mailbox is recognized with its missing aliases", async () => {
  const { at, domain, inSales, companyId } = company;
  await anAlias(domain, inSales, at("old"));
  const line = { email: inSales, aliases: [at("old"), at("new")], unit: "Elsewhere" };
  expect(await one(line)).toMatchObject({
    outcome: "exists",
    aliases: [at("new")],
    unit: "Sales",
  });
  const creator = await aSession(companyId, ["create_users"]);
  expect(wrong(await one({ email: inSales }, creator))).toEqual([
    `${inSales} is already a mailbox`,
  ]);
});

test("aliases require the privilege to update mailboxes in the unit", async () => {
  const { at, companyId } = company;
  const creator = await aSession(companyId, ["create_users"]);
  expect(wrong(await one({ email: at("a"), aliases: [at("b")] }, creator))).toEqual([
    "Aliases require the Update users privilege in the mailbox's unit",
  ]);
});

describe("units", () => {
  test("are matched by path, ignoring case, with or without the root", async () => {
    const { at, companyId, sales } = company;
    await createUnit(aContext(companyId), { parentId: sales, name: "Berlin" });
    const unitOf = async (unit: string) => (await one({ email: at("a"), unit })).unit;
    expect(await unitOf("sales / BERLIN")).toBe("Berlin");
    expect(await unitOf("Example Ltd > Sales")).toBe("Sales");
    expect(await unitOf("Example Ltd")).toBe("Example Ltd");
    expect(await unitOf("")).toBe("Example Ltd");
  });

  test("of a limited role are the only ones available, and a single one is the default", async () => {
    const { at, ofSales, sales, companyId, root } = company;
    await createUnit(aContext(companyId), { parentId: root, name: "IT" });
    expect(await one({ email: at("a") }, ofSales)).toMatchObject({ unit: "Sales" });
    for (const unit of ["IT", "None"])
      expect(wrong(await one({ email: at("a"), unit }, ofSales))).toEqual([
        `The unit ${unit} doesn't exist, or you can't create mailboxes in it`,
      ]);
    await createUnit(aContext(companyId), { parentId: sales, name: "Berlin" });
    expect(wrong(await one({ email: at("a") }, ofSales))).toEqual(["Unit is required"]);
  });
});

describe("units that don't exist", () => {
  const units = (lines: string[], cookie: string, options = {}) =>
    check(
      lines.map((unit, at) => ({ email: company.at(`a${at}`), name: "Ann", unit })),
      cookie,
      options,
    );

  test("are listed once, and can be created by admins who manage units", async () => {
    const { companyId } = company;
    const manager = await aSession(companyId, ["create_users", "manage_settings"]);
    const paths = ["/Engineering", "engineering", "Sales/Berlin", "Sales", "Example Ltd/Legal"];
    const { lines, missingUnits } = await units(paths, manager);
    expect(missingUnits).toEqual(["Engineering", "Sales / Berlin", "Example Ltd / Legal"]);
    expect(lines.map(wrong)).toEqual([
      ["The unit Engineering doesn't exist"],
      ["The unit engineering doesn't exist"],
      ["The unit Sales / Berlin doesn't exist"],
      [],
      ["The unit Example Ltd / Legal doesn't exist"],
    ]);
    const planned = await units(paths, manager, { createUnits: true });
    expect(planned.lines.map(({ outcome, unit }) => [outcome, unit])).toEqual([
      ["new", "Engineering"],
      ["new", "engineering"],
      ["new", "Sales / Berlin"],
      ["new", "Sales"],
      ["new", "Example Ltd / Legal"],
    ]);
  });

  test("aren't offered without the privilege, or in units where it doesn't apply", async () => {
    const { companyId, ofSales } = company;
    const creator = await aSession(companyId, ["create_users"]);
    for (const cookie of [creator, ofSales]) {
      const { lines, missingUnits } = await units(["Berlin"], cookie, { createUnits: true });
      expect(missingUnits).toEqual([]);
      expect(lines[0]!.outcome).toBe("refused");
    }
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
  expect(wrong(lines[2]!)).toEqual(["Your plan allows 3 mailboxes, and all are used"]);
  await change({ subscriptionActive: false });
  expect((await check([{ email: at("a"), name: "Ann" }])).blocked).toMatch(
    /no active subscription/,
  );
});

test("a check requires the privilege to create mailboxes and at most 5,000 lines", async () => {
  const { companyId, sales, cookie } = company;
  const body = { lines: [{ number: 1, email: "a@b.example" }] };
  for (const refused of [
    await aSession(companyId, ["view_users", "update_users"]),
    await aSessionOfRole(companyId, sales, ["view_users"]),
  ])
    expect(await ask(mailboxImportsConsole.check, refused, "", { body })).toMatchObject({
      status: 403,
    });
  const many = { lines: Array.from({ length: 5_001 }, () => ({ number: 1, email: "a" })) };
  expect(await ask(mailboxImportsConsole.check, cookie, "", { body: many })).toMatchObject({
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
