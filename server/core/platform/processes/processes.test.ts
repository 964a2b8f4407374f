import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { processes } from "#drizzle/schema/index.ts";
import { checkHeartbeats } from "#server/core/operations/system-checks/check-processes.ts";
import { db } from "#server/db/pool.ts";

import { findUnresponsiveComponents, isOlderVersionRunning, registerProcess } from "./processes.ts";

const roles = new Set(["worker", "mail"] as const);

test("reports a component without a recent heartbeat from this host", async () => {
  expect(await findUnresponsiveComponents(db(), roles)).toEqual(["worker", "mail"]);
  const ends = [
    await registerProcess(db(), "worker"),
    await registerProcess(db(), "mail", () => true),
  ];
  expect(await findUnresponsiveComponents(db(), roles)).toEqual([]);

  await db()
    .update(processes)
    .set({ aliveUntil: sql`now()` })
    .where(eq(processes.role, "worker"));
  expect(await findUnresponsiveComponents(db(), roles)).toEqual(["worker"]);
  await db().update(processes).set({ host: "elsewhere" }).where(eq(processes.role, "mail"));
  expect(await findUnresponsiveComponents(db(), roles)).toEqual(["worker", "mail"]);
  expect(await findUnresponsiveComponents(db(), new Set())).toEqual([]);
  for (const end of ends) await end();
});

test("distinguishes a worker with a hanging delivery loop from a missing one", async () => {
  const end = await registerProcess(db(), "worker", () => false);
  expect(await findUnresponsiveComponents(db(), new Set(["worker"]))).toEqual(["delivery"]);
  expect(await checkHeartbeats(db(), { roles: new Set(["worker"]) })).toMatchObject([
    {
      part: "delivery",
      state: "failed",
      advice: expect.stringContaining("posthouse logs --process worker") as string,
    },
  ]);
  await end();
});

test("distinguishes a mail process with an unresponsive Dovecot from a missing one", async () => {
  const end = await registerProcess(db(), "mail", () => false);
  expect(await findUnresponsiveComponents(db(), new Set(["mail"]))).toEqual(["Dovecot"]);
  expect(await checkHeartbeats(db(), { roles: new Set(["mail"]) })).toMatchObject([
    {
      part: "Dovecot",
      state: "failed",
      advice: expect.stringContaining("posthouse logs --process mail") as string,
    },
  ]);
  await end();
});

test.each([
  ["without a schema, as 0.1.0 reports it", sql`facts - 'schema'`],
  ["with an older schema", sql`jsonb_set(facts, '{schema}', '1750000000000')`],
])("a process %s is of an older version until a minute after its end", async (_, facts) => {
  const ends = [await registerProcess(db(), "web"), await registerProcess(db(), "worker")];
  expect(await isOlderVersionRunning(db())).toBe(false);
  const old = { host: "elsewhere", facts };
  await db().update(processes).set(old).where(eq(processes.role, "worker"));
  expect(await isOlderVersionRunning(db())).toBe(true);
  const endedFor = (seconds: number) =>
    db()
      .update(processes)
      .set({ aliveUntil: sql`clock_timestamp() - make_interval(secs => ${seconds})` })
      .where(eq(processes.role, "worker"));
  await endedFor(30);
  expect(await isOlderVersionRunning(db())).toBe(true);
  await endedFor(61);
  expect(await isOlderVersionRunning(db())).toBe(false);
  for (const end of ends) await end();
});
