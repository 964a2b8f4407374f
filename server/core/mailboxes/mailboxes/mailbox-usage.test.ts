import { inArray } from "drizzle-orm";
import { expect, test } from "vitest";

import { mailboxUsage } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain, aMailbox } from "#server/testing/factories.ts";

import { recordUsage } from "./mailbox-usage.ts";

test("replaces earlier usage, and ignores mailboxes that don't exist", async () => {
  const domain = await aDomain((await aCompany()).id);
  const [one, other] = [(await aMailbox(domain)).address, (await aMailbox(domain)).address];
  const unknown = `x${one}`;
  await recordUsage(db(), [
    { address: one, usedBytes: 2 ** 40, messages: 3 },
    { address: unknown, usedBytes: 1, messages: 1 },
  ]);
  await recordUsage(db(), [
    { address: one, usedBytes: 7, messages: 1 },
    { address: other, usedBytes: -1, messages: 0 },
  ]);
  const rows = await db()
    .select()
    .from(mailboxUsage)
    .where(inArray(mailboxUsage.address, [one, other, unknown]));
  expect(new Map(rows.map((row) => [row.address, row]))).toEqual(
    new Map([
      [one, { address: one, usedBytes: 7, messages: 1 }],
      [other, { address: other, usedBytes: 0, messages: 0 }],
    ]),
  );
});
