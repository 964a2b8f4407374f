import { hostname } from "node:os";

import { sql } from "drizzle-orm";
import { pino } from "pino";
import { beforeEach, expect, test } from "vitest";

import {
  alarmMessages,
  alarms,
  deliveryBlocks,
  domainFindings,
  emails,
  processes,
  settings,
  systemChecks,
  watchRounds,
} from "#drizzle/schema/index.ts";
import { readConfig } from "#server/config.ts";
import { recordBlock } from "#server/core/sending/outbox/delivery-blocks.ts";
import { registerProcess } from "#server/core/platform/processes/processes.ts";
import { changeSetting } from "#server/core/platform/settings/change-setting.ts";
import { db } from "#server/db/pool.ts";
import { aCompany, aDomain } from "#server/testing/factories.ts";
import { aSender, queuedEmails } from "#server/testing/queued-emails.ts";

import { compareFacts, summarizeDay } from "./send-alarm-message.ts";
import { findStateConditions } from "./find-state-conditions.ts";
import { listRaisedAlarms } from "./alarms.ts";
import { startRound } from "./conditions.ts";
import { watch } from "./watcher.ts";

const log = pino({ level: "silent" });
const config = readConfig({ POSTHOUSE_DATA: "/tmp" });

beforeEach(async () => {
  // Emails with their outbox rows, so that the ledger of the first round is exact.
  for (const table of [alarms, alarmMessages, watchRounds, emails, processes, systemChecks])
    await db().delete(table);
  await db().delete(deliveryBlocks);
  await db().delete(settings);
});

/** Makes rounds due, as if a minute had passed. */
const nextRound = () =>
  db().execute(sql`update watch_rounds set started_at = started_at - interval '1 minute'
    where name in ('alarms', 'deferring')`);
/** Makes conditions older by `seconds`. */
const age = (seconds: number) =>
  db().execute(sql`update watch_rounds set result = jsonb_set(result, '{firstFound}',
    (select coalesce(jsonb_object_agg(key, value::text::bigint - ${seconds * 1_000}::bigint), '{}')
      from jsonb_each(result -> 'firstFound'))) where name = 'alarms'`);

async function round() {
  await nextRound();
  await watch({ db: db(), config, log });
  const raised = await listRaisedAlarms(db());
  return raised.map(({ name }) => name).filter((name) => !name.startsWith("disk@"));
}

test("a round is run by one process at a time", async () => {
  const started = await Promise.all(
    Array.from({ length: 6 }, () => startRound(db(), "alarms", 15)),
  );
  expect(started.filter((result) => result !== null)).toHaveLength(1);
  expect(await startRound(db(), "alarms", 15)).toBeNull();
  await nextRound();
  expect(await startRound(db(), "alarms", 15)).not.toBeNull();
});

test("raises an alarm for mail that has been due for more than five minutes", async () => {
  const sender = await aSender();
  await queuedEmails(sender, [["ann@there.test"]], {
    due: sql`clock_timestamp() - interval '4 minutes'`,
  });
  expect(await round()).toEqual([]);
  await queuedEmails(sender, [["ann@there.test"]], {
    due: sql`clock_timestamp() - interval '6 minutes'`,
  });
  expect(await round()).toEqual(["queue_age"]);
});

test("raises an alarm for a process that stopped without notice, until another takes its place", async () => {
  const end = await registerProcess(db(), "web");
  const silent = (seconds: number) =>
    db().execute(
      sql`update processes set alive_until = clock_timestamp() - make_interval(secs => ${seconds})`,
    );
  await silent(40);
  expect(await round()).toEqual([]);
  await silent(46);
  const [name] = await round();
  expect(name).toMatch(/^process:web@/);
  const [alarm] = await listRaisedAlarms(db());
  expect(alarm!.found).toMatch(/^The web process on .* hasn't responded for 6[0-3] seconds$/);
  const endOther = await registerProcess(db(), "web");
  await db().execute(sql`update alarms set seen_at = seen_at - interval '2 minutes'`);
  expect(await round()).toEqual([]);
  await Promise.all([end(), endOther()]);
});

test("keeps the alarm about a process that isn't replaced for more than an hour", async () => {
  const endMail = await registerProcess(db(), "mail");
  await db().execute(
    sql`update processes set alive_until = clock_timestamp() - interval '2 hours'`,
  );
  // Each process deletes what is forgotten when it starts and with each heartbeat.
  const endWeb = await registerProcess(db(), "web");
  const [name] = await round();
  expect(name).toMatch(/^process:mail@/);
  const endOther = await registerProcess(db(), "mail");
  await (
    await registerProcess(db(), "web")
  )();
  expect(await db().select().from(processes)).toHaveLength(2);
  await Promise.all([endMail(), endWeb(), endOther()]);
});

test("raises an alarm for an unresponsive Dovecot after a minute", async () => {
  const end = await registerProcess(db(), "mail", () => false);
  expect(await round()).toEqual([]);
  await age(61);
  const [name] = await round();
  expect(name).toMatch(/^part:mail@/);
  await end();
});

test("raises alarms for destinations that block this server or defer most of their mail", async () => {
  const sender = await aSender();
  await queuedEmails(
    sender,
    Array.from({ length: 30 }, (_, at) => [`u${at}@slow.test`]),
    { due: sql`clock_timestamp() + interval '1 hour'` },
  );
  await db().execute(
    sql`update outbox set attempt = 1 where id in (select id from outbox limit 19)`,
  );
  expect(await round()).toEqual([]);
  await db().execute(sql`update outbox set attempt = 1 where id in
    (select id from outbox where attempt = 0 limit 1)`);
  expect(await round()).toEqual([]);
  await age(301);
  await recordBlock(db(), { destination: "no.test", host: "mx.no.test", reply: "554 Blocked" });
  expect((await round()).toSorted()).toEqual(["blocked:no.test", "deferred:slow.test"]);
});

test("keeps the alarms of many blocked destinations that are found in turn", async () => {
  const block = (at: number) =>
    recordBlock(db(), { destination: `no${at}.test`, host: null, reply: "554 Blocked" });
  for (let at = 0; at < 12; at++) await block(at);
  const raised = (await round()).toSorted();
  expect(raised).toHaveLength(10);
  expect(raised).toContain("blocked:no0.test");
  for (const at of [11, 10, 5]) await block(at);
  await db().execute(sql`update alarms set seen_at = seen_at - interval '2 minutes'`);
  expect((await round()).toSorted()).toEqual(raised);
});

test("mail on hold raises no alarm", async () => {
  await queuedEmails(await aSender(), [["ann@there.test"]], { due: sql`'infinity'::timestamptz` });
  expect(await round()).toEqual([]);
});

test("raises alarms for the findings of system checks on a server, but not for a missing spam filter", async () => {
  const at = sql`clock_timestamp()`;
  const finding = {
    state: "failed" as const,
    found: "Bad",
    advice: "Fix it",
    startedAt: at,
    checkedAt: at,
  };
  await db()
    .insert(systemChecks)
    .values([
      { name: "clock", ...finding },
      { name: "spam", ...finding },
      { name: "keys", ...finding, state: "ok" },
    ]);
  // In local mode, most checks fail by design.
  expect(await round()).toEqual([]);
  const { findStateConditions } = await import("./find-state-conditions.ts");
  const conditions = await findStateConditions(db(), { ...config, localMode: false });
  expect(conditions.map(({ name }) => name).filter((name) => name.startsWith("check:"))).toEqual([
    "check:clock",
  ]);
});

test("raises an alarm for each host with a full disk", async () => {
  const GB = 1024 ** 3;
  const ends = [];
  for (const [host, freeBytes] of [
    ["mail-1", 9 * GB],
    ["mail-2", GB],
    ["web-1", 50 * GB],
  ] as const) {
    ends.push(await registerProcess(db(), "mail"));
    const disk = JSON.stringify({ disk: { freeBytes, sizeBytes: 100 * GB } });
    await db().execute(sql`update processes set host = ${host}, facts = facts || ${disk}::jsonb
      where host = ${hostname()}`);
  }
  await nextRound();
  await watch({ db: db(), config, log });
  expect(await listRaisedAlarms(db())).toMatchObject([
    { name: "disk@mail-2", severity: "critical" },
    {
      name: "disk@mail-1",
      severity: "warning",
      found: "9.00 GB (9%) free for the data folder on mail-1",
    },
  ]);
  for (const end of ends) await end();
});

test("raises an alarm when the ledger finds unaccounted recipients", async () => {
  await round();
  await db().execute(
    sql`update watch_rounds set result = '{"unaccounted": 2}' where name = 'ledger'`,
  );
  expect(await round()).toEqual(["ledger"]);
});

test("a message that can't be sent is retried later and dropped after a day", async () => {
  await changeSetting(db(), "alarm_email", "off");
  await changeSetting(db(), "alarm_webhook_url", "http://127.0.0.1:1/");
  await db()
    .insert(alarmMessages)
    .values({ channel: "webhook", message: { kind: "test" } });
  await round();
  const [waiting] = await db().select().from(alarmMessages);
  expect(waiting!.attempt).toBe(1);
  expect(Date.parse(waiting!.nextAttemptAt)).toBeGreaterThan(Date.now() + 20_000);
  await db().execute(sql`update alarm_messages set next_attempt_at = clock_timestamp(),
    created_at = created_at - interval '25 hours'`);
  await round();
  expect(await db().select().from(alarmMessages)).toEqual([]);
});

test("the daily summary goes out once, at its hour, and only if something changed", async () => {
  const at = (hour: number, day = 23) => new Date(Date.UTC(2026, 10, day, hour, 30));
  const sent = async () => (await db().select().from(alarmMessages)).map(({ message }) => message);
  await summarizeDay(db(), at(5));
  expect(await sent()).toEqual([]);
  // The first summary has nothing to compare with.
  await summarizeDay(db(), at(6));
  expect(await sent()).toEqual([]);
  await db().execute(sql`update watch_rounds set started_at = started_at - interval '24 hours',
    result = jsonb_set(result, '{heldMail}', '7') where name = 'summary'`);
  await summarizeDay(db(), at(6, 24));
  await summarizeDay(db(), at(6, 24));
  expect(await sent()).toMatchObject([
    {
      kind: "summary",
      notes: ["Recipients of mail on hold: 0 (yesterday 7)."],
    },
  ]);
});

test("the summary names an upgrade and restarts", () => {
  const facts = { version: "0.2.0", failingWebhooks: 0, heldMail: 0, pendingDomains: 1, starts: 9 };
  expect(compareFacts({ ...facts, version: "0.1.0", starts: 6 }, facts)).toEqual([
    "Posthouse was upgraded from 0.1.0 to 0.2.0.",
    "Processes restarted 3 times since yesterday.",
  ]);
  expect(compareFacts(facts, facts)).toEqual([]);
  expect(compareFacts({}, facts)).toEqual([]);
});

test("missing records raise an alarm only for a domain whose ownership is verified", async () => {
  const { id: companyId } = await aCompany();
  const [owned, unproven] = [
    await aDomain(companyId),
    await aDomain(companyId, { ownershipProvenAt: null }),
  ];
  await db()
    .insert(domainFindings)
    .values(
      [owned, unproven].map(({ id: domainId }) => ({
        domainId,
        record: "mx" as const,
        isVerified: false,
        answers: [],
        missingSince: "2026-01-01T00:00:00Z",
        checkedAt: "2026-01-02T00:00:00Z",
      })),
    );
  const found = await findStateConditions(db(), { ...config, localMode: false });
  const names = found.map(({ name }) => name);
  expect(names).toContain(`dns:${owned.name}`);
  expect(names).not.toContain(`dns:${unproven.name}`);
});
