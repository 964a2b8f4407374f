import { pino } from "pino";
import { afterEach, beforeEach, expect, test } from "vitest";

import { settings, warmUps } from "#drizzle/schema/index.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { invalidateSettings } from "#server/core/platform/settings/read-settings.ts";
import { db } from "#server/db/pool.ts";
import { waitOutMidnight } from "#server/testing/utc-day.ts";

import { WarmUp, type WarmUpMail } from "./warm-up.ts";

beforeEach(() => waitOutMidnight());

const running: WarmUp[] = [];
beforeEach(async () => {
  for (const table of [warmUps, settings]) await db().delete(table);
  invalidateSettings();
  // A server without history.
  await db()
    .insert(warmUps)
    .values({ subject: "server", provider: "*", startedOn: "infinity", day: "infinity" });
});
afterEach(async () => {
  for (const one of running.splice(0)) await one.stop();
});

async function aWarmUp({ localMode = false } = {}): Promise<WarmUp> {
  const log = pino({ level: "silent" });
  const warmUp = new WarmUp({ db: db(), localMode, workers: () => 1, log });
  running.push(warmUp);
  await warmUp.start();
  return warmUp;
}
const mail = (given: Partial<WarmUpMail> = {}): WarmUpMail => ({
  source: null,
  provider: "google",
  domain: "here.test",
  recipients: 50,
  isBatch: false,
  ...given,
});
const used = async () => {
  const rows = await db().select().from(warmUps);
  return Object.fromEntries(
    rows
      .filter(({ provider }) => provider !== "*")
      .map(({ subject, provider, used }) => [`${subject} ${provider}`, used]),
  );
};

test("a new server sends its quota to each provider, then mail waits and says until when", async () => {
  const warmUp = await aWarmUp();
  for (let sent = 0; sent < 4; sent++) expect(await warmUp.admit(mail())).toBe(null);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  const wait = await warmUp.admit(mail());
  expect(wait).toMatchObject({ result: "delayed", notAttempted: "warm_up" });
  expect(new Date(wait!.retryAt!).toISOString()).toContain(tomorrow);
  expect(wait!.message).toBe(
    `Warm-up: This server is new and sends to 200 recipients at google today (day 1 of 21). Next attempt: ${tomorrow} 00:00 UTC`,
  );
  expect(await warmUp.admit(mail({ provider: null }))).toBe(null);

  warmUp.putBack(mail(), 50);
  expect(await warmUp.admit(mail())).toBe(null);
});

test("unused reservations are returned at the end", async () => {
  const warmUp = await aWarmUp();
  await warmUp.admit(mail({ recipients: 3 }));
  expect(await used()).toEqual({ "server google": 20 });
  await warmUp.stop();
  expect(await used()).toEqual({ "server google": 3 });
});

test("a listed domain has a warm-up of its own, also if the server has none", async () => {
  await changeSetting(db(), "warm_up", "off");
  await changeSetting(db(), "warm_up_domains", "here.test");
  const warmUp = await aWarmUp();
  expect(warmUp.admit(mail({ domain: "there.test" }))).toBe(null);
  expect(await warmUp.admit(mail({ recipients: 200 }))).toBe(null);
  expect(await warmUp.admit(mail({ recipients: 1 }))).toMatchObject({
    message: expect.stringMatching(/^Warm-up: here\.test is new and sends to 200/) as string,
  });
});

test("a further address has a warm-up of its own, also on a server with a history", async () => {
  await db().update(warmUps).set({ startedOn: "2026-01-01" });
  const warmUp = await aWarmUp();
  const source = "mail2.here.test";
  expect(await warmUp.admit(mail({ recipients: 5_000 }))).toBe(null);
  expect(await warmUp.admit(mail({ source, recipients: 200 }))).toBe(null);
  expect(await warmUp.admit(mail({ source, recipients: 1 }))).toMatchObject({
    message: expect.stringMatching(/^Warm-up: mail2\.here\.test is new/) as string,
  });
});

test("mail that one quota turns away uses none of another", async () => {
  const yesterday = new Date(Date.now() - 86_400_000).toISOString().slice(0, 10);
  await db().update(warmUps).set({ startedOn: "2026-01-01" });
  await changeSetting(db(), "warm_up", yesterday);
  await changeSetting(db(), "warm_up_domains", "here.test,there.test");
  const warmUp = await aWarmUp();
  expect(await warmUp.admit(mail({ recipients: 200 }))).toBe(null);
  // The server has room for 100 more, the domain for none.
  expect(await warmUp.admit(mail({ recipients: 10 }))).not.toBe(null);
  expect(await warmUp.admit(mail({ domain: null, recipients: 100 }))).toBe(null);
  expect(await warmUp.admit(mail({ domain: "there.test", recipients: 10 }))).not.toBe(null);
  await warmUp.stop();
  expect(await used()).toEqual({ "server google": 300, "domain here.test google": 200 });
});

test("without the database, mail is delayed, and uses no quota", async () => {
  const log = pino({ level: "silent" });
  const isDown = { now: false };
  const proxied = new Proxy(db(), {
    get: (target, name) =>
      isDown.now && name === "execute"
        ? () => Promise.reject(new Error("the database is down"))
        : (Reflect.get(target, name) as unknown),
  });
  await changeSetting(db(), "warm_up_domains", "here.test");
  const warmUp = new WarmUp({ db: proxied, localMode: false, workers: () => 1, log });
  running.push(warmUp);
  await warmUp.start();
  await warmUp.admit(mail({ domain: null, recipients: 1 }));
  isDown.now = true;
  expect(await warmUp.admit(mail({ recipients: 10 }))).toMatchObject({ result: "delayed" });
  isDown.now = false;
  await warmUp.stop();
  expect(await used()).toEqual({ "server google": 1 });
});

test("nothing is limited in local mode", async () => {
  await changeSetting(db(), "warm_up_domains", "here.test");
  const warmUp = await aWarmUp({ localMode: true });
  expect(warmUp.admit(mail({ recipients: 10_000 }))).toBe(null);
  expect(await used()).toEqual({});
});
