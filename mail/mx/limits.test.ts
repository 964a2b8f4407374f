import { expect, test } from "vitest";

import { HarvestGuard, MessageRate, toNetwork } from "./limits.ts";

test("a network is an IPv4 address or a /64; shared networks are exempt", () => {
  expect(toNetwork("93.184.216.34")).toBe("93.184.216.34");
  expect(toNetwork("::ffff:93.184.216.34")).toBe("93.184.216.34");
  expect(toNetwork("2a00:1450::1")).toBe(toNetwork("2a00:1450:0:0:ffff::"));
  expect(toNetwork("2a00:1450::1")).not.toBe(toNetwork("2a00:1450:0:1::1"));
  for (const address of ["127.0.0.1", "::1", "10.0.0.9", "172.17.0.1", "fd00::1"])
    expect(toNetwork(address)).toBeNull();
});

test("limits messages per network and minute, at once or in turn", () => {
  let now = 0;
  const rate = new MessageRate(120, () => now);
  for (let i = 0; i < 120; i++) rate.count("a");
  expect(() => rate.count("a")).toThrow(/4\.7\.1/);
  rate.count("b");
  now = 499;
  expect(() => rate.count("a")).toThrow(/4\.7\.1/);
  now = 1_000;
  rate.count("a");
  expect(() => rate.count("a")).toThrow(/4\.7\.1/);
});

test("a network that keeps guessing is blocked for ten minutes after its last guess", () => {
  let now = 0;
  const watch = new HarvestGuard(() => now);
  for (let i = 0; i < 49; i++) watch.count("a");
  watch.check("a");
  now = 5 * 60_000;
  watch.count("a");
  expect(() => watch.check("a")).toThrow(/^4\.7\.0/);
  watch.check("b");
  now += 10 * 60_000 - 1;
  expect(() => watch.check("a")).toThrow(/^4\.7\.0/);
  now += 1;
  watch.check("a");
});

test("guesses from another hour are forgotten", () => {
  let now = 0;
  const watch = new HarvestGuard(() => now);
  for (let i = 0; i < 49; i++) watch.count("a");
  now = 10 * 60_000;
  watch.count("a");
  watch.check("a");
});
