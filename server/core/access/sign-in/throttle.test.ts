import { inArray } from "drizzle-orm";
import { expect, test } from "vitest";

import { signInAttempts, signInNetworks } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";

import { deleteOldSignIns } from "./throttle.ts";

const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();

test("keeps attempts for a day and networks for 90 days after their last use", async () => {
  const account = "retention@a.example";
  const attempt = (days: number) => ({
    email: account,
    source: `${days}`,
    createdAt: daysAgo(days),
  });
  const network = (days: number) => ({
    account,
    network: `${days}`,
    firstSeenAt: daysAgo(400),
    lastSeenAt: daysAgo(days),
  });
  await db().insert(signInAttempts).values([0.9, 1.1].map(attempt));
  await db().insert(signInNetworks).values([89, 91].map(network));
  await deleteOldSignIns(db());
  const attempts = await db()
    .select({ source: signInAttempts.source })
    .from(signInAttempts)
    .where(inArray(signInAttempts.email, [account]));
  expect(attempts).toEqual([{ source: "0.9" }]);
  const networks = await db()
    .select({ network: signInNetworks.network })
    .from(signInNetworks)
    .where(inArray(signInNetworks.account, [account]));
  expect(networks).toEqual([{ network: "89" }]);
});
