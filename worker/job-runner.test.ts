import type { ChildProcess } from "node:child_process";

import { sql } from "drizzle-orm";
import { afterEach, expect, test, vi } from "vitest";

import { sessions } from "#drizzle/schema/index.ts";
import { db } from "#server/db/pool.ts";
import { enqueue, unlockJobsOfDeadRunners } from "#server/jobs/enqueue.ts";
import { killProcess, startWorkerProcess } from "#server/testing/worker-process.ts";

const children: ChildProcess[] = [];
afterEach(async () => {
  await Promise.all(children.splice(0).map(killProcess));
});

async function startWorker(): Promise<ChildProcess> {
  const child = await startWorkerProcess();
  children.push(child);
  return child;
}

/** The worker that runs the job: null if none does, undefined once it is done. */
async function runnerOfJob(): Promise<string | null | undefined> {
  const [job] = await db().execute<{ runner: string | null }>(sql`
    select locked_by as runner from graphile_worker.jobs
    where task_identifier = 'apply_retention'`);
  return job?.runner;
}

async function connectedRunners(): Promise<number> {
  const [row] = await db().execute<{ count: number }>(sql`
    select count(distinct application_name)::int as count from pg_stat_activity
    where datname = current_database() and application_name like 'posthouse-jobs-%'`);
  return row!.count;
}

/** Calls `use` while a real worker runs a job that never finishes. */
async function whileRunning(use: (worker: ChildProcess, runner: string) => Promise<void>) {
  const worker = await startWorker();
  await db().transaction(async (tx) => {
    await tx.execute(sql`lock table ${sessions} in access exclusive mode`);
    await enqueue(db(), "apply_retention", { every: "night" });
    await vi.waitFor(async () => expect(await runnerOfJob()).toBeTypeOf("string"));
    await use(worker, (await runnerOfJob())!);
  });
}

test("a killed worker's job runs as soon as another worker starts", async () => {
  await whileRunning(async (worker, runner) => {
    await killProcess(worker);
    expect(await runnerOfJob()).toBe(runner);
  });
  await startWorker();
  await vi.waitFor(async () => expect(await runnerOfJob()).toBeUndefined());
});

test("a running worker takes over a killed worker's job, but no running job", async () => {
  await whileRunning(async (worker, runner) => {
    await startWorker();
    // Each unlocks jobs before it connects under a name of its own.
    await vi.waitFor(async () => expect(await connectedRunners()).toBe(2));
    expect(await unlockJobsOfDeadRunners(db())).toEqual([]);
    expect(await runnerOfJob()).toBe(runner);
    await killProcess(worker);
    const takenOver = async () => {
      const now = await runnerOfJob();
      expect(now).toMatch(/^posthouse-jobs-/);
      expect(now).not.toBe(runner);
    };
    await vi.waitFor(takenOver);
  });
  await vi.waitFor(async () => expect(await runnerOfJob()).toBeUndefined());
});

test("a job waits as after an error if its workers were killed repeatedly", async () => {
  await enqueue(db(), "rotate_dkim_keys", {});
  const killedWith = async (attempts: number) => {
    await db().execute(sql`
      update graphile_worker._private_jobs set attempts = ${attempts}, run_at = now(), updated_at = now(), locked_at = now(),
        locked_by = 'posthouse-jobs-gone' where key = 'rotate_dkim_keys'`);
    expect(await unlockJobsOfDeadRunners(db())).toEqual(["posthouse-jobs-gone"]);
    const [job] = await db().execute<{ seconds: number; runner: string | null }>(sql`
      select extract(epoch from run_at - updated_at)::float8 as seconds, locked_by as runner
      from graphile_worker._private_jobs where key = 'rotate_dkim_keys'`);
    expect(job!.runner).toBeNull();
    return Math.round(job!.seconds);
  };
  expect(await killedWith(1)).toBe(0);
  expect(await killedWith(2)).toBe(7);
  expect(await killedWith(4)).toBe(55);
});
