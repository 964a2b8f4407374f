import { expect, test } from "vitest";

import { rememberNetwork } from "#server/core/sign-in/networks.ts";
import { db } from "#server/db/pool.ts";

import { newNetworks } from "./new-networks.ts";

test("a network that is not noted yet is new, unless none is; addresses of one /64 are one network", async () => {
  const nobody = await newNetworks(db(), "new@networks.example");
  expect(nobody("192.0.2.1")).toBe(false);

  await rememberNetwork(db(), "ann@networks.example", "2001:db8:1:2::1");
  const isNew = await newNetworks(db(), "ann@networks.example");
  expect(isNew("2001:db8:1:2:ffff::9")).toBe(false);
  expect(isNew("2001:db8:1:3::1")).toBe(true);
  expect(isNew("192.0.2.1")).toBe(true);
});
