import { expect, test } from "vitest";

import { signInNetworks } from "#drizzle/schema/index.ts";
import { rememberNetwork } from "#server/core/access/sign-in/throttle.ts";
import { db } from "#server/db/pool.ts";

import { newNetworks } from "./guard.ts";

test("an unknown network is new unless no network is known; a /64 is one network", async () => {
  const nobody = await newNetworks(db(), "new@networks.example");
  expect(nobody("192.0.2.1")).toBe(false);

  await rememberNetwork(db(), "ann@networks.example", "2001:db8:1:2::1");
  const isNew = await newNetworks(db(), "ann@networks.example");
  expect(isNew("2001:db8:1:2:ffff::9")).toBe(false);
  expect(isNew("2001:db8:1:3::1")).toBe(true);
  expect(isNew("192.0.2.1")).toBe(true);
});

test("a network is new for a day", async () => {
  const account = "old@networks.example";
  const hoursAgo = (hours: number) => new Date(Date.now() - hours * 3_600_000).toISOString();
  await db()
    .insert(signInNetworks)
    .values([
      { account, network: "192.0.2.1", firstSeenAt: hoursAgo(100) },
      { account, network: "192.0.2.2", firstSeenAt: hoursAgo(24.5) },
      { account, network: "192.0.2.3", firstSeenAt: hoursAgo(23.5) },
    ]);
  const isNew = await newNetworks(db(), account);
  expect(["192.0.2.1", "192.0.2.2", "192.0.2.3"].map(isNew)).toEqual([false, false, true]);
});
