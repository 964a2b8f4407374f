import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { processes } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";

import { isOlderVersionRunning } from "./is-older-version-running.ts";
import { registerProcess } from "./register-process.ts";

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
