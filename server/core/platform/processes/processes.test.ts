import { eq, sql } from "drizzle-orm";
import { expect, test } from "vitest";

import { processes } from "#drizzle/schema/index.ts";
import { checkHeartbeats } from "#server/core/operations/system-checks/check-processes.ts";
import { db } from "#server/db/pool.ts";

import { findUnresponsiveComponents, processId, registerProcess } from "./processes.ts";

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

test("holds slots under the ID of its heartbeat", async () => {
  const end = await registerProcess(db(), "web");
  const ids = () => db().select({ id: processes.id }).from(processes);
  expect(await ids()).toEqual([{ id: processId() }]);
  await end();
  expect(await ids()).toEqual([]);
});
