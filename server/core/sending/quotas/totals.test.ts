import { beforeEach, expect, test } from "vitest";

import { sendingTotals } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany } from "#server/testing/factories.ts";

import { changeTotals, lockTotals } from "./totals.ts";

const COUNT = 40;
let companyIds: string[];

beforeEach(async () => {
  await db().delete(sendingTotals);
  companyIds = await Promise.all(Array.from({ length: 6 }, async () => (await aCompany()).id));
});

/** Each transaction adds one recipient. Returns the count each one saw before adding its own. */
const addAtOnce = () =>
  Promise.all(
    Array.from({ length: COUNT }, (_, i) =>
      db().transaction(async (tx) => {
        const mine = [companyIds[i % companyIds.length]!];
        const others = i % 3 === 0 ? companyIds : [];
        const { platform } = await lockTotals(tx, [...mine, ...others]);
        await changeTotals(tx, [{ companyId: mine[0]!, hour: 1 }]);
        return platform.hour;
      }),
    ),
  );

const inOrder = Array.from({ length: COUNT }, (_, i) => i);

test("concurrent transactions each see everything counted before them", async () => {
  await db().transaction((tx) => lockTotals(tx, companyIds));

  const seen = await addAtOnce();

  expect(seen.sort((a, b) => a - b)).toEqual(inOrder);
});

test("also if no totals exist yet, without deadlocks", async () => {
  const seen = await addAtOnce();

  expect(seen.sort((a, b) => a - b)).toEqual(inOrder);
});
