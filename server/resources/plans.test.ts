import { randomUUID } from "node:crypto";

import { eq } from "drizzle-orm";
import { beforeAll, beforeEach, expect, test } from "vitest";

import { auditEntries, companies, plans } from "#drizzle/schema/index.ts";
import { companiesConsole } from "#server/resources/companies.ts";
import { db } from "#server/db/pool.ts";
import { callFromPage } from "#server/testing/console-webhooks.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";
import { anOperatorSession } from "#server/testing/operators.ts";

import { plansConsole } from "./plans.ts";

let cookie: string;
beforeAll(async () => {
  ({ cookie } = await anOperatorSession());
});
beforeEach(async () => {
  await db().delete(companies).where(eq(companies.name, "On a plan"));
  await db().delete(plans);
});

const FIGURES = {
  monthlyAllowance: 1_000,
  domainsMax: null,
  mailboxesMax: 5,
  quotaMbMax: null,
  defaultQuotaMb: 1_024,
};
const create = (name: string) =>
  callFromPage(plansConsole.create, { cookie, body: { name, ...FIGURES } });
async function aPlan(name = "Small") {
  return ((await create(name)).body as { id: string }).id;
}
const put = (id: string, planId: string) =>
  callFromPage(companiesConsole.update, { cookie, params: { id }, body: { planId } });
const change = (id: string, body: object) =>
  callFromPage(plansConsole.update, {
    cookie,
    params: { id },
    body: { name: "Small", ...FIGURES, ...body },
  });

test("plans are listed by name with their number of companies", async () => {
  const [small] = [await aPlan("small"), await aPlan("Large")];
  for (const name of ["On a plan", "On a plan"]) await put((await aCompany({ name })).id, small);
  expect((await callFromPage(plansConsole.list, { cookie })).body).toMatchObject({
    data: [
      { name: "Large", companies: 0, monthlyAllowance: 1_000 },
      { name: "small", companies: 2 },
    ],
  });
});

test("concurrent creations of a plan with the same name: one succeeds", async () => {
  const answers = await Promise.all([create("Small"), create("SMALL")]);
  expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409]);
  expect(await db().$count(plans)).toBe(1);
});

test("a change applies to every company on the plan and is in each one's audit log", async () => {
  const plan = await aPlan();
  const on = [await aCompany({ name: "On a plan" }), await aCompany({ name: "On a plan" })];
  for (const { id } of on) await put(id, plan);
  const other = await aCompany();

  expect((await change(plan, { domainsMax: 7, name: "Medium" })).body).toEqual({ companies: 2 });

  for (const { id } of on) {
    const [row] = await db().select().from(companies).where(eq(companies.id, id));
    expect(row).toMatchObject({ domainsMax: 7, planId: plan });
    const entries = await db().select().from(auditEntries).where(eq(auditEntries.companyId, id));
    expect(entries.at(-1)).toMatchObject({ actorKind: "operator", details: { plan: "Medium" } });
  }
  const [row] = await db().select().from(companies).where(eq(companies.id, other.id));
  expect(row).toMatchObject({ domainsMax: null, planId: null });
});

test("a company assigned to a plan during a change gets the new limits", async () => {
  const plan = await aPlan();
  const { id } = await aCompany({ name: "On a plan" });
  await Promise.all([change(plan, { domainsMax: 9 }), put(id, plan)]);
  const [row] = await db().select().from(companies).where(eq(companies.id, id));
  expect(row).toMatchObject({ planId: plan, domainsMax: 9 });
});

test("a preview counts the affected companies and lists those over the limits", async () => {
  const plan = await aPlan();
  const { id } = await aCompany({ name: "On a plan" });
  await put(id, plan);
  await put((await aCompany({ name: "On a plan" })).id, plan);
  for (let i = 0; i < 2; i++) await aDomain(id);
  const body = { ...FIGURES, domainsMax: 1 };
  expect(
    (await callFromPage(plansConsole.preview, { cookie, params: { id: plan }, body })).body,
  ).toEqual({
    companies: 2,
    over: [{ id, name: "On a plan", exceeded: ["domains"] }],
    overCount: 1,
  });
});

test("a plan in use can't be deleted", async () => {
  const plan = await aPlan();
  const { id } = await aCompany({ name: "On a plan" });
  await put(id, plan);
  const params = { id: plan };
  expect(await callFromPage(plansConsole.delete, { cookie, params })).toMatchObject({
    status: 409,
  });
  await db().update(companies).set({ planId: null }).where(eq(companies.id, id));
  expect((await callFromPage(plansConsole.delete, { cookie, params })).status).toBe(200);
  expect((await callFromPage(plansConsole.delete, { cookie, params })).status).toBe(404);
});

test("names and limits are validated, and unknown plans are not found", async () => {
  const plan = await aPlan();
  await aPlan("Large");
  expect((await change(plan, { name: " " })).status).toBe(422);
  expect((await change(plan, { name: "LARGE" })).status).toBe(409);
  expect((await change(plan, { defaultQuotaMb: 1 })).status).toBe(422);
  expect((await change(randomUUID(), {})).status).toBe(404);
});
