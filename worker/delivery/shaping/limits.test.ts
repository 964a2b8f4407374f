import { eq } from "drizzle-orm";
import { pino } from "pino";
import { expect, onTestFinished, test, vi } from "vitest";

import { destinationLimits, settings } from "#drizzle/schema/index.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";

import { createLimitSync, type Limits } from "./limits.ts";

const NOW = Date.now();

const LIMITS: Limits = {
  throttle: "rate",
  reply: "421 4.7.28 \u0000Slow down",
  dsn: "4.7.28",
  host: "mx.there.test",
  changedAt: NOW,
  suspendedUntil: NOW + 60_000,
  level: 2,
  connections: 3,
  perMinute: 12.5,
};

const aSync = () => createLimitSync({ db: db(), log: pino({ level: "silent" }) });
const stored = () =>
  db().select().from(destinationLimits).where(eq(destinationLimits.key, "there"));

async function restored(key: string): Promise<Limits | undefined> {
  const sync = aSync();
  const found = new Map<string, Limits>();
  await sync.start((name, limits) => found.set(name, limits));
  return found.get(key);
}

test("limits survive a restart; older limits and overlong keys are ignored", async () => {
  const sync = aSync();
  sync.store("there", LIMITS);
  sync.store(`mx ${"10 mx.there.test,".repeat(100)}`, LIMITS);
  await vi.waitFor(async () => expect(await stored()).toHaveLength(1));
  expect(await restored("there")).toEqual({ ...LIMITS, reply: "421 4.7.28 Slow down" });

  sync.store("there", { ...LIMITS, changedAt: NOW - 5_000, level: 1 });
  sync.store("there", { ...LIMITS, changedAt: NOW + 5_000, level: 3 });
  await vi.waitFor(async () => expect(await stored()).toMatchObject([{ level: 3 }]));
});

test("limits stored while a clock was ahead are ignored and replaced", async () => {
  const sync = aSync();
  const key = "ahead";
  const ahead = { changedAt: NOW + 86_400_000, suspendedUntil: NOW + 90_000_000 };
  sync.store(key, { ...LIMITS, ...ahead, level: 5 });
  const levels = () =>
    db()
      .select({ level: destinationLimits.level })
      .from(destinationLimits)
      .where(eq(destinationLimits.key, key));
  await vi.waitFor(async () => expect(await levels()).toEqual([{ level: 5 }]));
  expect(await restored(key)).toBeUndefined();

  sync.store(key, LIMITS);
  await vi.waitFor(async () => expect(await levels()).toEqual([{ level: 2 }]));
});

test("limits are compared by the database's clock", async () => {
  vi.useFakeTimers({ toFake: ["Date"], now: NOW + 86_400_000 });
  onTestFinished(() => void vi.useRealTimers());
  const sync = aSync();
  await sync.start(() => undefined);
  vi.useRealTimers();
  expect(Math.abs(sync.now() - Date.now())).toBeLessThan(10_000);
});

test("the setting extends the table of providers", async () => {
  await changeSetting(db(), "mail_providers", "mx.there.test=there");
  const sync = aSync();
  await sync.start(() => undefined);
  expect(sync.findProvider([{ name: "a.mx.there.test", preference: 10 }])).toBe("there");
  expect(sync.findProvider([{ name: "aspmx.l.google.com", preference: 10 }])).toBe("google");
  expect(sync.workers()).toBeGreaterThanOrEqual(1);
  await db().delete(settings).where(eq(settings.name, "mail_providers"));
});
