import { beforeEach, expect, test } from "vitest";

import { alarmMessages, alarms, settings } from "#drizzle/schema/index.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";

import { listRaisedAlarms, updateAlarms } from "./alarms.ts";
import type { Condition } from "./conditions.ts";

const disk: Condition = {
  name: "disk",
  severity: "warning",
  found: "9% free",
  advice: "Free up disk space",
};

const now = { clearAfterSeconds: 0 };

beforeEach(async () => {
  await db().delete(alarms);
  await db().delete(alarmMessages);
  await db().delete(settings);
});

const messages = async () =>
  (await db().select().from(alarmMessages)).map(({ message }) => message);

test("raises an alarm once, keeps it up to date and clears it", async () => {
  expect((await updateAlarms(db(), [disk])).raised).toHaveLength(1);
  const again = await updateAlarms(db(), [{ ...disk, found: "8% free" }]);
  expect(again).toEqual({ raised: [], cleared: [] });
  expect(await listRaisedAlarms(db())).toMatchObject([{ name: "disk", found: "8% free" }]);

  expect((await updateAlarms(db(), [], now)).cleared).toMatchObject([{ name: "disk" }]);
  expect(await listRaisedAlarms(db())).toEqual([]);
  expect(await messages()).toMatchObject([
    { kind: "changes", raised: [{ name: "disk" }], cleared: [] },
    { kind: "changes", raised: [], cleared: [{ name: "disk" }] },
  ]);
});

test("doesn't clear an alarm whose condition was found a moment ago", async () => {
  await updateAlarms(db(), [disk]);
  expect(await updateAlarms(db(), [])).toEqual({ raised: [], cleared: [] });
});

test("an alarm that was cleared can be raised again", async () => {
  await updateAlarms(db(), [disk]);
  await updateAlarms(db(), [], now);
  expect((await updateAlarms(db(), [disk])).raised).toHaveLength(1);
  expect(await db().select().from(alarms)).toHaveLength(2);
});

test("notifies operators again when a warning becomes critical, but not the other way around", async () => {
  await updateAlarms(db(), [disk]);
  const worse = await updateAlarms(db(), [{ ...disk, severity: "critical" }]);
  expect(worse.raised).toMatchObject([{ severity: "critical" }]);
  expect((await updateAlarms(db(), [disk])).raised).toEqual([]);
});

test("rounds at the same time raise an alarm once", async () => {
  const rounds = await Promise.allSettled(
    Array.from({ length: 8 }, () => updateAlarms(db(), [disk])),
  );
  expect(rounds.filter(({ status }) => status === "rejected")).toEqual([]);
  expect(await listRaisedAlarms(db())).toHaveLength(1);
  expect(await messages()).toHaveLength(1);
});

test("queues a message for each channel that is set up", async () => {
  await changeSetting(db(), "alarm_ntfy_url", "https://ntfy.test/topic");
  await changeSetting(db(), "alarm_email", "off");
  await updateAlarms(db(), [disk]);
  const rows = await db().select().from(alarmMessages);
  expect(rows.map(({ channel }) => channel)).toEqual(["ntfy"]);
});
