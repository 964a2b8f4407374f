import { randomUUID } from "node:crypto";

import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { processes } from "#drizzle/schema/index.ts";
import { registerProcess } from "#server/core/platform/processes/processes.ts";
import { db } from "#server/db/pool.ts";
import { callFromPage } from "#server/testing/console-webhooks.ts";
import { anOperatorSession } from "#server/testing/operators.ts";

import { operateConsole } from "./operate.ts";

type Health = {
  processes: { role: string; isAlive: boolean; pid: number; rssBytes: number }[];
  jobs: { failing: { task: string; error: string }[] };
};
const health = async () =>
  (await callFromPage(operateConsole.getHealth, { cookie: (await anOperatorSession()).cookie }))
    .body as Health;

test("running processes are listed, stopped ones removed and killed ones reported", async () => {
  const end = await registerProcess(db(), "worker");
  await db()
    .insert(processes)
    .values({
      ...{ id: randomUUID(), role: "mail", host: "elsewhere", pid: 7, version: "0" },
      facts: { rssBytes: 1, loopDelayP99Ms: 0, loopDelayMaxMs: 0, node: "v24" },
      ...{ startedAt: sql`now() - interval '1 day'`, aliveUntil: sql`now() - interval '1 minute'` },
    });

  const { processes: seen } = await health();
  expect(seen).toMatchObject([
    { role: "mail", isAlive: false },
    { role: "worker", isAlive: true, pid: process.pid },
  ]);
  expect(seen[1]!.rssBytes).toBeGreaterThan(1e6);
  await end();

  expect((await health()).processes).toMatchObject([{ role: "mail" }]);
  await db()
    .update(processes)
    .set({ aliveUntil: sql`now() - interval '2 hours'` });
  const isListed = () => db().$count(processes, eq(processes.host, "elsewhere"));
  await (
    await registerProcess(db(), "web")
  )();
  expect(await isListed()).toBe(1);
  await (
    await registerProcess(db(), "mail")
  )();
  expect(await isListed()).toBe(0);
});

test("Postgres, disk, queue, failing jobs and certificate are reported, also while Dovecot is down", async () => {
  await db().execute(sql`
    select graphile_worker.add_job('rotate_dkim_keys', json_build_object(), job_key => 'it fails')`);
  await db().execute(sql`
    update graphile_worker._private_jobs set attempts = 3, last_error = E'no room\n    at x.ts:1'
    where key = 'it fails'`);

  expect(await health()).toMatchObject({
    database: { version: expect.stringMatching(/^1\d/) as string },
    disk: { totalBytes: expect.any(Number) as number },
    queue: { waiting: 0 },
    jobs: { failing: [{ task: "rotate_dkim_keys", attempts: 3, error: "no room" }] },
    dovecot: null,
    certificate: { isSelfSigned: true },
  });
});

test("raised alarms and the largest tables are reported", async () => {
  const { updateAlarms } = await import("#server/core/operations/alarms/alarms.ts");
  const disk = { name: "disk", severity: "warning" as const, found: "9% free", advice: "Free it" };
  await updateAlarms(db(), [disk]);
  const tables = expect.arrayContaining([
    { name: expect.any(String) as string, bytes: expect.any(Number) as number },
  ]) as unknown;
  expect(await health()).toMatchObject({ alarms: [disk], database: { tables } });
  await updateAlarms(db(), [], { clearAfterSeconds: 0 });
  expect(await health()).toMatchObject({ alarms: [] });
});
