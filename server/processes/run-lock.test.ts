import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, expect, test } from "vitest";

import { isLocked } from "./file-lock.ts";
import { startNodeProcess } from "./node-process.ts";
import { acquireRunLock } from "./run-lock.ts";

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "posthouse-run-lock-"));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const isHeld = () => isLocked(join(folder, "processes.lock"));

/** One of our processes, which starts a child by `start` and reports its pid. */
async function aProcessWithChild(start: string) {
  const file = join(folder, "program.mjs");
  const runLock = join(import.meta.dirname, "run-lock.ts");
  await writeFile(
    file,
    `import { spawn } from "node:child_process";
    const { inheritedRunLock, withServiceLock } = await import(${JSON.stringify(runLock)});
    const child = ${start};
    console.log(child.pid);
    setInterval(() => process.send({ type: "ready" }), 50);`,
  );
  const lock = (await acquireRunLock(folder, { waitMs: 0 }))!;
  const childPid = Promise.withResolvers<number>();
  const run = await startNodeProcess(
    { file, env: process.env, runLock: lock, onLine: (line) => childPid.resolve(Number(line)) },
    new AbortController().signal,
  );
  lock.release();
  return { run, childPid: await childPid.promise };
}

test("a process holds the run lock until it ends, and its children don't", async () => {
  const { run, childPid } = await aProcessWithChild(
    `spawn("sleep", ["60"], { detached: true, stdio: "ignore" })`,
  );
  expect(await isHeld()).toBe(true);
  process.kill(run.pid, "SIGKILL");
  await run.exited;
  expect(await isHeld()).toBe(false);
  process.kill(childPid, "SIGKILL");
});

test("a service that inherits the run lock keeps it after the process has ended", async () => {
  const { run, childPid } = await aProcessWithChild(
    `spawn("sleep", ["60"], {
      detached: true,
      stdio: withServiceLock(["ignore", "ignore", "ignore"], inheritedRunLock(${JSON.stringify(folder)})),
    })`,
  );
  process.kill(run.pid, "SIGKILL");
  await run.exited;
  expect(await isHeld()).toBe(true);
  process.kill(childPid, "SIGKILL");
  const waiting = spawn("flock", [join(folder, "processes.lock"), "true"]);
  expect(await once(waiting, "exit")).toEqual([0, null]);
});
