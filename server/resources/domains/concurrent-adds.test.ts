import { randomBytes } from "node:crypto";

import { eq } from "drizzle-orm";
import { describe, expect, test } from "vitest";

import { domains } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { call } from "#server/testing/call.ts";
import { aCompany, anApiKey } from "#server/testing/factories.ts";

import { domainsApi } from "./api.ts";

async function aCaller(overrides: Parameters<typeof aCompany>[0] = {}) {
  const company = await aCompany(overrides);
  return (await anApiKey(company.id, { privileges: ["domains"] })).token;
}

const aName = () => `${randomBytes(6).toString("hex")}.test`;
const add = async (name: string, key: string) => {
  const { status, body } = await call(domainsApi.add, { key, body: { name } });
  return { status, name: (body as { name: string }).name };
};

describe("concurrent requests", () => {
  const together = (count: number, act: (i: number) => ReturnType<typeof add>) =>
    Promise.all(Array.from({ length: count }, (_, i) => act(i)));
  const refusalOf = ({ status, name }: { status: number; name: string }) =>
    status === 200 ? [] : `${status} ${name}`;
  const accepted = (answers: { status: number }[]) =>
    answers.filter(({ status }) => status === 200).length;

  test("only one of several companies gets a name", async () => {
    const name = aName();
    const callers = await Promise.all(Array.from({ length: 6 }, () => aCaller()));

    const answers = await together(6, (i) => add(name, callers[i]!));

    expect(accepted(answers)).toBe(1);
    expect(answers.filter(({ status }) => status === 403)).toHaveLength(5);
    expect(await db().$count(domains, eq(domains.name, name))).toBe(1);
  });

  test("one company gets a name once", async () => {
    const [name, key] = [aName(), await aCaller()];

    const answers = await together(6, () => add(name, key));

    expect(answers.map(({ status }) => status).sort()).toEqual([200, 403, 403, 403, 403, 403]);
  });

  test("at most ten domains wait, and at most the plan's number exist", async () => {
    const [free, planned] = [await aCaller(), await aCaller({ domainsMax: 3 })];
    for (let i = 0; i < 8; i++) await add(aName(), free);

    const answers = await together(6, () => add(aName(), free));
    const onPlan = await together(6, () => add(aName(), planned));

    expect(accepted(answers)).toBe(2);
    expect(accepted(onPlan)).toBe(3);
    expect(new Set([...answers, ...onPlan].flatMap(refusalOf))).toEqual(
      new Set(["429 validation_error", "403 validation_error"]),
    );
  });

  test("two companies adding the same names in different order don't deadlock", async () => {
    const callers = [await aCaller(), await aCaller()];
    const names = Array.from({ length: 4 }, aName);

    const answers = await Promise.all([
      ...names.map((name) => add(name, callers[0]!)),
      ...names.toReversed().map((name) => add(name, callers[1]!)),
    ]);

    expect(accepted(answers)).toBe(4);
    expect(answers.every(({ status }) => status === 200 || status === 403)).toBe(true);
  });
});
