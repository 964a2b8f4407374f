import { verify } from "@node-rs/argon2";
import { eq } from "drizzle-orm";
import { expect, test } from "vitest";

import { admins, apiKeys, auditEntries, companies, people } from "#drizzle/schema/index.ts";
import { getCompany } from "#server/core/access/companies/companies.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, anAdmin } from "#server/testing/factories.ts";

import { createCompany, createKeyFor, findAdmin, type NewCompany } from "./create-company.ts";
import { isSetUp } from "./set-up.ts";

const PASSWORD = "correct horse battery";

const owned = (email: string, rest: Partial<NewCompany> = {}): NewCompany => ({
  name: "Acme",
  owner: { email, password: PASSWORD },
  ...rest,
});

const passwordHashOf = async (email: string) =>
  (await db().select().from(people).where(eq(people.email, email)))[0]!.passwordHash;

test("setup is complete once a company has an owner; a sandbox without sign-in doesn't count", async () => {
  expect(await isSetUp(db())).toBe(false);
  const owner = { email: "sandbox@example.com", password: null };
  await createCompany(db(), { name: "Sandbox", purpose: "sandbox", owner });
  expect(await isSetUp(db())).toBe(false);
  await createCompany(db(), owned("first@example.com"));
  expect(await isSetUp(db())).toBe(true);
});

test("creates an owner who can sign in, and an audit entry", async () => {
  const { company, owner } = await createCompany(db(), owned(" Ann@Example.com ", { name: " A " }));
  expect(company).toMatchObject({ name: "A", purpose: "customer", subscriptionActive: true });
  expect(owner).toMatchObject({ email: "ann@example.com", isOwner: true, companyId: company.id });
  const passwordHash = await passwordHashOf(owner.email);
  expect(passwordHash).toMatch(/^\$argon2id\$/);
  expect(await verify(passwordHash!, PASSWORD)).toBe(true);
  const asked = { companyId: company.id, email: "ANN@example.com" };
  expect(await findAdmin({ db: db(), companyId: asked.companyId }, asked.email)).toMatchObject({
    id: owner.id,
  });
  const audit = await db()
    .select()
    .from(auditEntries)
    .where(eq(auditEntries.companyId, company.id));
  expect(audit.map(({ action }) => action)).toEqual(["company.created"]);
});

test("an owner without a password can't sign in", async () => {
  const { owner } = await createCompany(db(), {
    name: "Quiet",
    owner: { email: "quiet@example.com", password: null },
  });
  expect(await passwordHashOf(owner.email)).toBeNull();
});

test("verifies the address of a new owner, and says who an existing one is", async () => {
  const created = await createCompany(db(), owned("vouched@example.com", { name: "Northwind" }));
  expect(created.known).toBeNull();
  const [person] = await db().select().from(people).where(eq(people.email, "vouched@example.com"));
  expect(person!.emailProvenAt).not.toBeNull();
  const owner = { email: "vouched@example.com", password: null };
  const { known } = await createCompany(db(), { name: "Second", owner });
  expect(known).toMatchObject({ companies: ["Northwind"], createdAt: person!.createdAt });
});

test("an admin whose address isn't confirmed can't own another company", async () => {
  const email = "joined-by-copy@example.com";
  const { id } = await aCompany({ name: "Contoso" });
  await anAdmin(id, { email, emailProvenAt: null });
  await expect(
    createCompany(db(), { name: "Unproven", owner: { email, password: null } }),
  ).rejects.toMatchObject({
    reason: "not_allowed",
    message: expect.stringContaining("an admin of Contoso") as string,
  });
  expect(await db().$count(companies, eq(companies.name, "Unproven"))).toBe(0);
});

test("an admin can own several companies without changing their password", async () => {
  const first = await createCompany(db(), owned("both@example.com"));
  const before = await passwordHashOf("both@example.com");
  const owner = { email: "both@example.com", password: null };
  const second = await createCompany(db(), { name: "Second", owner });
  expect(second.owner.id).not.toBe(first.owner.id);
  await expect(createCompany(db(), owned("both@example.com"))).rejects.toMatchObject({
    reason: "already_exists",
  });
  expect(await passwordHashOf("both@example.com")).toBe(before);
});

test.each<[string, NewCompany, RegExp]>([
  ["no name", owned("a@example.com", { name: "  " }), /1 to 200 characters/],
  ["a name on two lines", owned("a@example.com", { name: "A\nB" }), /on one line/],
  ["an overlong name", owned("a@example.com", { name: "x".repeat(201) }), /1 to 200/],
  ["no address", owned("not an address"), /is not an email address/],
  [
    "a short password",
    owned("a@example.com", { owner: { email: "a@example.com", password: "short" } }),
    /at least 12 characters/,
  ],
])("rejects %s", async (_what, input, message) => {
  await expect(createCompany(db(), input)).rejects.toMatchObject({
    reason: "invalid",
    message: expect.stringMatching(message) as string,
  });
});

test("twenty concurrent calls with one address create one company", async () => {
  const calls = Array.from({ length: 20 }, () =>
    createCompany(db(), owned("race@example.com", { name: "Race" })),
  );
  const outcomes = await Promise.allSettled(calls);
  expect(outcomes.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
  for (const outcome of outcomes)
    if (outcome.status === "rejected")
      expect(outcome.reason).toMatchObject({ reason: "already_exists" });
  expect(await db().select().from(companies).where(eq(companies.name, "Race"))).toHaveLength(1);
  expect(await db().select().from(admins).where(eq(admins.email, "race@example.com"))).toHaveLength(
    1,
  );
});

test("finds a company by id or by a unique name", async () => {
  const { company } = await createCompany(db(), owned("one@example.com", { name: "Twin" }));
  expect(await getCompany(db(), "twin")).toMatchObject({ id: company.id });
  expect(await getCompany(db(), company.id)).toMatchObject({ id: company.id });
  await createCompany(db(), owned("two@example.com", { name: "Twin" }));
  await expect(getCompany(db(), "Twin")).rejects.toThrow(/Several companies are named "Twin"/);
  await expect(getCompany(db(), "Unknown")).rejects.toMatchObject({ reason: "not_found" });
});

test("restricts a sending key to the domain, and rejects an unset variable in its place", async () => {
  const company = await aCompany();
  const admin = await anAdmin(company.id, { isOwner: true });
  const domain = await aDomain(company.id);
  const create = (named: string) =>
    createKeyFor(db(), {
      company: company.id,
      as: admin.email,
      name: "Shop",
      permission: "sending_access",
      domain: named,
    });
  const { id } = await create(domain.name.toUpperCase());
  const keys = await db().select().from(apiKeys).where(eq(apiKeys.companyId, company.id));
  expect(keys).toEqual([expect.objectContaining({ id, domainId: domain.id })]);
  await expect(create("")).rejects.toThrow("The company has no domain");
  expect(await db().$count(apiKeys, eq(apiKeys.companyId, company.id))).toBe(1);
});
