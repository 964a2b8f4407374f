import { afterEach, beforeEach, expect, test, vi } from "vitest";

import type { Resolver } from "#server/gateways/dns.ts";

import { createMailHostCache } from "./mail-hosts.ts";

const MINUTE_MS = 60_000;
beforeEach(() => void vi.useFakeTimers({ toFake: ["performance"] }));
afterEach(() => vi.useRealTimers());

type Mx = Awaited<ReturnType<Resolver["mx"]>>;
const ABSENT: Mx = { kind: "no_name" };
const PRESENT: Mx = { kind: "found", records: [{ preference: 10, exchange: "mx.there.test" }] };
const BROKEN: Mx = { kind: "failed", reason: "SERVFAIL" };

function aMemory() {
  const says: { mx: Mx } = { mx: ABSENT };
  const mx = vi.fn(() => Promise.resolve(says.mx));
  const find = createMailHostCache({ mx } as unknown as Resolver);
  return { says, mx, find: () => find("there.test") };
}

const DELAYED = {
  kind: "failure",
  failure: {
    result: "delayed",
    dsn: "4.1.2",
    suppress: false,
    message: "The domain there.test does not exist",
  },
};
const BOUNCED = { kind: "failure", failure: { result: "bounced", dsn: "5.1.2", suppress: false } };

test("a missing domain bounces when still missing an hour later, without a suppression", async () => {
  const { find } = aMemory();
  expect(await find()).toEqual(DELAYED);
  vi.advanceTimersByTime(59 * MINUTE_MS);
  expect(await find()).toEqual(DELAYED);
  vi.advanceTimersByTime(MINUTE_MS);
  expect(await find()).toMatchObject(BOUNCED);
});

test("a domain that came back starts a new hour when it's missing again", async () => {
  const { says, find } = aMemory();
  await find();
  says.mx = PRESENT;
  vi.advanceTimersByTime(61 * MINUTE_MS);
  expect(await find()).toMatchObject({ kind: "hosts" });
  says.mx = ABSENT;
  vi.advanceTimersByTime(2 * MINUTE_MS);
  expect(await find()).toEqual(DELAYED);
});

test("a DNS failure in between neither bounces nor restarts the hour", async () => {
  const { says, find } = aMemory();
  await find();
  says.mx = BROKEN;
  vi.advanceTimersByTime(61 * MINUTE_MS);
  expect(await find()).toMatchObject({ failure: { result: "delayed", dsn: "4.4.3" } });
  says.mx = ABSENT;
  expect(await find()).toMatchObject(BOUNCED);
});

test("concurrent lookups of a domain share one query, and a good answer is cached for a minute", async () => {
  const { says, mx, find } = aMemory();
  says.mx = PRESENT;
  await Promise.all([find(), find(), find()]);
  vi.advanceTimersByTime(59_000);
  await find();
  expect(mx).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(2_000);
  await find();
  expect(mx).toHaveBeenCalledTimes(2);
});

test("a failed lookup isn't cached", async () => {
  const { says, mx, find } = aMemory();
  mx.mockRejectedValueOnce(new Error("a bug"));
  await expect(find()).rejects.toThrow("a bug");
  says.mx = { kind: "found", records: [{ preference: 0, exchange: "" }] };
  await expect(find()).resolves.toBeDefined();
});
