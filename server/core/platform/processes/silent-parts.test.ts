import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { processes } from "#drizzle/schema/index.ts";
import { checkHeartbeats } from "#server/core/operations/system-checks/check-processes.ts";
import { db } from "#server/db/pool.ts";

import { keepProcess } from "./keep-process.ts";
import { silentParts } from "./silent-parts.ts";

const roles = new Set(["worker", "mail"] as const);

test("a part without a recent heartbeat from this machine does not respond", async () => {
  expect(await silentParts(db(), roles)).toEqual(["worker", "mail"]);
  const ends = [await keepProcess(db(), "worker"), await keepProcess(db(), "mail", () => true)];
  expect(await silentParts(db(), roles)).toEqual([]);

  await db()
    .update(processes)
    .set({ aliveUntil: sql`now()` })
    .where(eq(processes.role, "worker"));
  expect(await silentParts(db(), roles)).toEqual(["worker"]);
  await db().update(processes).set({ host: "elsewhere" }).where(eq(processes.role, "mail"));
  expect(await silentParts(db(), roles)).toEqual(["worker", "mail"]);
  expect(await silentParts(db(), new Set())).toEqual([]);
  for (const end of ends) await end();
});

test("a worker whose delivery loop hangs is told apart from a missing one", async () => {
  const end = await keepProcess(db(), "worker", () => false);
  expect(await silentParts(db(), new Set(["worker"]))).toEqual(["delivery"]);
  expect(await checkHeartbeats(db(), { roles: new Set(["worker"]) })).toMatchObject([
    {
      ...{ part: "delivery", state: "failed" },
      advice: expect.stringContaining("logs/worker.log") as string,
    },
  ]);
  await end();
});

test("a mail process whose Dovecot does not respond is told apart from a missing one", async () => {
  const end = await keepProcess(db(), "mail", () => false);
  expect(await silentParts(db(), new Set(["mail"]))).toEqual(["Dovecot"]);
  expect(await checkHeartbeats(db(), { roles: new Set(["mail"]) })).toMatchObject([
    {
      ...{ part: "Dovecot", state: "failed" },
      advice: expect.stringContaining("logs/mail.log") as string,
    },
  ]);
  await end();
});
