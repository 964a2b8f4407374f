import { setImmediate } from "node:timers/promises";

import { sql } from "drizzle-orm";
import { afterAll, beforeAll, expect, test, vi } from "vitest";

import { setOutgoingScan } from "#server/core/access/companies/outgoing-scan.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { aRspamd, type FakeRspamd } from "#server/testing/a-rspamd.ts";
import { historyOf } from "#server/testing/api-sender.ts";
import { aContext } from "#server/testing/factories.ts";
import { acceptAll, aScriptedCarrier, pumpOptions } from "#server/testing/message-pump.ts";
import { aQueuedEmail, aSender, type Sender } from "#server/testing/queued-emails.ts";
import { HEAVY_BYTES } from "#server/core/sending/outbox/queue-rows.ts";

import { emailSource } from "./email-source.ts";
import { Pump } from "./pump.ts";
import { inHeavyLane, inLanes } from "./prepare.ts";

let rspamd: FakeRspamd;
let sender: Sender;

beforeAll(async () => {
  rspamd = await aRspamd();
  await changeSetting(db(), "rspamd_url", rspamd.url);
  sender = await aSender();
  await setOutgoingScan(aContext(sender.companyId), "hold");
});
afterAll(async () => {
  await changeSetting(db(), "rspamd_url", "off");
  await rspamd.stop();
});

/** Sends an email to someone outside and returns its outcome. */
async function send() {
  const { carrier, deliveries } = aScriptedCarrier(acceptAll);
  const options = pumpOptions({ carrier });
  const pump = new Pump(emailSource(options), options);
  await pump.start();
  const id = await aQueuedEmail(sender, "ann@there.test");
  await vi.waitFor(async () => expect(await historyOf(id)).toHaveLength(2), { timeout: 40_000 });
  await pump.stop();
  const isSent = deliveries.some(({ message }) => message.includes(id));
  return { ...(await historyOf(id))[1], isSent };
}

test("an email that is spam fails with the reason and is never sent", async () => {
  rspamd.answer = { score: 20 };
  expect(await send()).toMatchObject({
    type: "failed",
    recipient: null,
    isSent: false,
    reason: "The message looks like spam (score 20.0 of 15)",
  });
  expect(rspamd.asked.at(-1)!.content).toContain("DKIM-Signature");
});

test("other emails are delivered, also without rspamd", async () => {
  rspamd.answer = { score: 3 };
  expect(await send()).toMatchObject({ type: "delivered", isSent: true });
  rspamd.answer = 500;
  expect(await send()).toMatchObject({ type: "delivered", isSent: true });
});

test("an email whose first attempt waited is scanned too", async () => {
  rspamd.answer = { score: 20 };
  const { carrier, deliveries } = aScriptedCarrier(acceptAll);
  const suspended = { is: true };
  const wait = {
    result: "delayed",
    dsn: "4.7.0",
    message: "421 Slow down",
    suppress: false,
  } as const;
  carrier.postpone = () =>
    suspended.is ? { ...wait, notAttempted: "suspended", retryAt: Date.now() + 60_000 } : null;
  const options = pumpOptions({ carrier });
  const pump = new Pump(emailSource(options), options);
  await pump.start();
  const id = await aQueuedEmail(sender, "ann@there.test");
  await vi.waitFor(async () => expect(await historyOf(id)).toHaveLength(2), { timeout: 40_000 });
  suspended.is = false;
  await db().execute(sql`update outbox set next_attempt_at = clock_timestamp()`);
  await vi.waitFor(async () => expect(await historyOf(id)).toHaveLength(3), { timeout: 40_000 });
  await pump.stop();
  expect((await historyOf(id))[2]).toMatchObject({ type: "failed" });
  expect(deliveries).toEqual([]);
});

const light = { size: HEAVY_BYTES };
const heavy = { size: HEAVY_BYTES + 1 };

test("heavy messages of all leases are composed one at a time, light ones beside them", async () => {
  const running = { light: 0, heavy: 0 };
  const most = { ...running };
  let prepared = 0;
  const prepare = async ({ size }: { size: number }) => {
    const kind = size > HEAVY_BYTES ? "heavy" : "light";
    most[kind] = Math.max(most[kind], ++running[kind]);
    await setImmediate();
    running[kind]--;
    prepared++;
  };
  const compose = (item: { size: number }) => inHeavyLane(item.size, () => prepare(item));
  const lease = [heavy, heavy, heavy, ...Array.from({ length: 40 }, () => light)];
  await Promise.all([inLanes(lease, compose), inLanes([heavy, heavy, light], compose)]);
  expect(prepared).toBe(46);
  expect(most.heavy).toBe(1);
  expect(most.light).toBeGreaterThan(10);
});

test("a heavy message that waits for the spam filter doesn't keep others from being prepared", async () => {
  const scan = Promise.withResolvers<true>();
  let composed = 0;
  const prepared = inLanes([heavy, heavy], async ({ size }) => {
    await inHeavyLane(size, () => Promise.resolve(composed++));
    if (composed === 2) scan.resolve(true);
    await scan.promise;
  });
  await prepared;
  expect(composed).toBe(2);
});
